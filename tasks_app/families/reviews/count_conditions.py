"""Counts of the reviews that meet two conditions, with the author of the newest or oldest of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, conditions, drafts, milestones, moves
from tasks_app.families.reviews.common.conditions import Condition
from tasks_app.families.reviews.common.rules import MentionQuery
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.types import Outline, Product, World

WORDING = wording(__name__)

PAIRS_TRIED = 32
PAIRS_A_TERM = 6
LEVEL_WITH_TERM = 4
"""Lowest level at which the reviews must also mention a term."""


class _Option(NamedTuple):
    """Two conditions, a bit mask of the reviews that meet them, and the term they mention, if any."""

    pair: tuple[Condition, Condition]
    mask: int
    query: MentionQuery | None


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    product = drafts.product_draw(world, draws, level)
    options = _options(world, draws, product, level)
    option = drafts.nearest_count(draws, options, lambda option: option.mask.bit_count())
    if option is None:
        return None
    everything = outlines(world, product.id)
    counted = [outline for place, outline in enumerate(everything) if option.mask >> place & 1]
    return _task(draws, option, product, everything, counted, level) if drafts.ends(counted) else None


def _options(world: World, draws: Draws, product: Product, level: int) -> list[_Option]:
    everything = outlines(world, product.id)
    places = {outline.id: place for place, outline in enumerate(everything)}
    masks = conditions.masks(everything)
    queries: Sequence[MentionQuery | None] = (None,)
    if has_term := level >= LEVEL_WITH_TERM:
        queries = drafts.query_options(world, draws, product, level - LEVEL_WITH_TERM + 1, tried=1)
    options = []
    for query in queries:
        base = sum(1 << places[outline.id] for outline in (query.mentions if query else everything))
        pairs = conditions.pairs_draw(draws, masks, PAIRS_A_TERM if has_term else PAIRS_TRIED)
        options += [
            _Option((first, second), masks[first] & masks[second] & base, query) for first, second in pairs
        ]
    return options


def _task(
    draws: Draws,
    option: _Option,
    product: Product,
    everything: Sequence[Outline],
    counted: Sequence[Outline],
    level: int,
) -> SiteTask:
    query = option.query
    end, witness = draws.pick(list(drafts.ends(counted).items()))
    first, second = (conditions.condition_text(condition, product) for condition in option.pair)
    slots = {"product": drafts.named(product), "first": first, "second": second, "end": end}
    if query:
        wording = drafts.mention_text(WORDING, draws, query, "task_with_term", **slots)
        needs = drafts.needs(query, counted)
    else:
        wording = WORDING.text(draws, **slots)
        needs = tuple(sorted(f"review {outline.id}" for outline in counted))
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=wording,
        answer=(str(len(counted)), witness.reviewer),
        fields=WORDING.fields,
        forms=moves.FORMS,
        needs=needs,
        given={
            **(query.given if query else {"product": product.id}),
            "conditions": [condition._asdict() for condition in option.pair],
            "end": end,
        },
        oracle_steps=moves.all_moves(
            [moves.meeting(everything, option.pair, query)], fields=len(WORDING.fields)
        ),
    )


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Answer as if only the first or only the second condition applied, or with one too many."""
    mentioning = brute_force.mentioning(world, task.given)
    counts = [
        sum(brute_force.meets(review, condition) for review in mentioning)
        for condition in task.given["conditions"]
    ]
    numbers = map(str, (*counts, int(task.answer[0]) + 1))
    return next(number for number in numbers if number != task.answer[0]), task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    meeting = [
        review
        for review in brute_force.mentioning(world, task.given)
        if all(brute_force.meets(review, condition) for condition in task.given["conditions"])
    ]
    witness = brute_force.foremost(meeting, task.given["end"])
    return task.answer == (str(len(meeting)), witness.outline.reviewer)


family(
    WORDING,
    draw=draw,
    wrong=wrong,
    check=check,
    milestones=(
        milestones.OPENED_PRODUCT,
        milestones.SEARCHED_TERM,
        milestones.FILTER_APPLIED,
        milestones.END_REACHED,
        milestones.UNFOLDED,
        milestones.SAW_ALL,
    ),
)
