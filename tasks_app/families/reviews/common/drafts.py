"""Common code for drawing the shop's tasks: products, counts, and the facts that an answer depends on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from core.draws import Draws
from tasks_app.families.reviews.common import moves, rules
from tasks_app.families.reviews.common.rules import MentionQuery
from tasks_app.families.types import SiteTask
from tasks_app.families.wordings import Wording
from tasks_app.worlds.evidence import OR
from tasks_app.worlds.reviews.mentions import FEWEST, MOST
from tasks_app.worlds.reviews.types import Outline, Product, World
from tasks_app.worlds.reviews.world import SIZES

T = TypeVar("T")

RULES_TRIED = 4
MOST_SHARE = 0.035
"""Maximum probability of one count, since a log-uniform draw would make 3 the answer of every tenth task."""


def _count_weights() -> list[float]:
    weights = [math.log((count + 1) / count) for count in range(FEWEST, MOST + 1)]
    for _ in range(20):
        total = sum(weights)
        weights = [min(weight / total, MOST_SHARE) for weight in weights]
    return weights


COUNTS = range(FEWEST, MOST + 1)
COUNT_WEIGHTS = _count_weights()


def nearest_count(draws: Draws, options: Iterable[T], count: Callable[[T], int]) -> T | None:
    """Choose the option whose count is nearest to a drawn one, among options with a count from 3 to 60.

    The count is drawn log-uniformly, except that none has a probability above ``MOST_SHARE``.
    """
    target = math.log(draws.weighted(COUNTS, COUNT_WEIGHTS))
    fitting = [option for option in options if FEWEST <= count(option) <= MOST]
    return min(fitting, key=lambda option: abs(math.log(count(option)) - target), default=None)


def product_draw(world: World, draws: Draws, level: int) -> Product:
    """Draw a product with as many reviews as the level requires; at least one rival always qualifies."""
    low, high = SIZES[level - 1]
    return draws.pick([product for product in world.products if low <= product.review_count <= high])


def query_options(
    world: World, draws: Draws, product: Product, level: int, *, tried: int = RULES_TRIED
) -> list[MentionQuery]:
    """List queries for each of the product's terms under a few rules drawn for the level."""
    drawn = [rules.rule_draw(draws, level) for _ in range(tried)]
    return [
        rules.query_make(world, product, term, rule)
        for term in rules.terms(world, product)
        for rule in dict.fromkeys(drawn)
    ]


def ends(outlines: Sequence[Outline]) -> dict[str, Outline]:
    """Return the newest and the oldest review, each only if no other review has the same date."""
    days = [outline.day for outline in outlines]
    places = {"newest": 0, "oldest": -1} if outlines else {}
    return {end: outlines[place] for end, place in places.items() if days.count(days[place]) == 1}


def needs(query: MentionQuery, outlines: Iterable[Outline]) -> tuple[str, ...]:
    """Name where each review is shown to mention the term: in front, behind its fold, or in its reply."""
    counted = rules.traces_counted(query.rule)
    traces = {entry.outline.id: entry.traces & counted for entry in query.lax}
    parts = ((rules.FRONT, ""), (rules.BEHIND, " more"), (rules.REPLY, " reply"))
    needed = []
    for outline in outlines:
        ways = [f"review {outline.id}{part}" for bits, part in parts if traces[outline.id] & bits]
        # Opening a review also shows the part in front of the fold.
        needed.append(ways[0] if traces[outline.id] & rules.FRONT else OR.join(ways))
    return tuple(sorted(needed))


def mention_text(
    wording: Wording, draws: Draws, query: MentionQuery, name: str = "task", **slots: str
) -> str:
    """Word a phrase about a query. The opening is drawn first, then the rule, then the rest."""
    slots = {"product": named(query.product), "term": f'"{query.term.word}"', **slots}
    opening = wording.text(draws, "opening", **slots)
    rule = rules.rule_text(query.rule, query.term, draws)
    return wording.text(draws, name, opening=opening, rule=rule, **slots)


def mention_task(wording: Wording, draws: Draws, query: MentionQuery, *, level: int, value: str) -> SiteTask:
    """Build a task about all reviews that mention the term.

    The witness wrote the newest or the oldest of them.
    """
    end, witness = draws.pick(list(ends(query.mentions).items()))
    return SiteTask(
        family=wording.id,
        level=level,
        wording=mention_text(wording, draws, query, end=end),
        answer=(value, witness.reviewer),
        fields=wording.fields,
        forms=moves.FORMS,
        needs=needs(query, query.mentions),
        given={**query.given, "end": end},
        oracle_steps=moves.all_moves([moves.mentioning(query)], fields=len(wording.fields)),
    )


def named(product: Product) -> str:
    return f"the {product.name} ({product.noun})"
