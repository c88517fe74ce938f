"""How many reviews meet two conditions at once, and who wrote the newest or oldest of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.draws import Draws
from tasks_app.families.registry import family
from tasks_app.families.reviews.common import brute_force, conditions, drafts, milestones, moves
from tasks_app.families.reviews.common.conditions import Condition
from tasks_app.families.reviews.common.drafts import MentionQuery
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import wording
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.types import Outline, Product, World

WORDING = wording(__name__)

PAIRS_TRIED = 32
PAIRS_A_TERM = 6
LEVEL_WITH_TERM = 4
"""From this level on the reviews have to mention a term as well."""


@dataclass(frozen=True, slots=True)
class _Option:
    """Two conditions, the reviews that meet them as bits, and the term that these mention, if any."""

    pair: tuple[Condition, Condition]
    mask: int
    query: MentionQuery | None

    @property
    def count(self) -> int:
        return self.mask.bit_count()


def draw(world: World, draws: Draws, level: int) -> SiteTask | None:
    product = drafts.product_draw(world, draws, level)
    found = outlines(world, product.id)
    options = _with_terms(world, draws, product, level) if level >= LEVEL_WITH_TERM else _bare(draws, found)
    chosen = drafts.nearest_count(draws, options, lambda option: option.count)
    if chosen is None:
        return None
    counted = [outline for place, outline in enumerate(found) if chosen.mask >> place & 1]
    if not drafts.ends(counted):
        return None
    return _task(draws, chosen, product=product, found=found, counted=counted, level=level)


def _bare(draws: Draws, found: tuple[Outline, ...]) -> list[_Option]:
    masks = conditions.masks(found)
    pairs = conditions.pairs_draw(draws, masks, PAIRS_TRIED)
    return [_Option(pair, masks[pair[0]] & masks[pair[1]], None) for pair in pairs]


def _with_terms(world: World, draws: Draws, product: Product, level: int) -> list[_Option]:
    options: list[_Option] = []
    found = outlines(world, product.id)
    places = {outline.id: place for place, outline in enumerate(found)}
    masks = conditions.masks(found)
    for query in drafts.query_options(world, draws, product, level - LEVEL_WITH_TERM + 1, tried=1):
        base = sum(1 << places[outline.id] for outline in query.found)
        pairs = conditions.pairs_draw(draws, masks, PAIRS_A_TERM)
        options += [_Option(pair, masks[pair[0]] & masks[pair[1]] & base, query) for pair in pairs]
    return options


def _task(
    draws: Draws,
    chosen: _Option,
    *,
    product: Product,
    found: Sequence[Outline],
    counted: Sequence[Outline],
    level: int,
) -> SiteTask:
    query = chosen.query
    end, witness = drafts.end_draw(draws, counted)
    pair = [condition.given for condition in chosen.pair]
    needed = (
        drafts.needs(query, counted)
        if query
        else tuple(sorted(f"review {outline.id}" for outline in counted))
    )
    return SiteTask(
        family=WORDING.id,
        level=level,
        wording=_wording(draws, chosen, product=product, end=end),
        answer=(str(chosen.count), witness.reviewer),
        fields=WORDING.fields,
        forms=moves.FORMS,
        needs=needed,
        given={**(query.given if query else {"product": product.id}), "conditions": pair, "end": end},
        oracle_steps=moves.all_moves([moves.meeting(found, chosen.pair, query)], fields=len(WORDING.fields)),
    )


def _wording(draws: Draws, chosen: _Option, *, product: Product, end: str) -> str:
    first, second = map(conditions.condition_text, chosen.pair)
    slots = {"product": drafts.named(product), "first": first, "second": second, "end": end}
    if chosen.query:
        return drafts.mention_text(WORDING, draws, chosen.query, "task_with_term", **slots)
    return WORDING.text(draws, **slots)


def wrong(world: World, task: SiteTask) -> tuple[str, ...]:
    """Only the first condition heeded, or only the second; or one too many."""
    counts = [
        len(
            [
                review
                for review in brute_force.mentioning(world, task.given)
                if brute_force.meets(review, condition)
            ]
        )
        for condition in task.given["conditions"]
    ]
    numbers = [*map(str, counts), str(int(task.answer[0]) + 1)]
    return next(number for number in numbers if number != task.answer[0]), task.answer[1]


def check(world: World, task: SiteTask) -> bool:
    found = [
        review
        for review in brute_force.mentioning(world, task.given)
        if all(brute_force.meets(review, condition) for condition in task.given["conditions"])
    ]
    witness = brute_force.foremost(found, task.given["end"])
    return task.answer == (str(len(found)), witness.outline.reviewer)


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
