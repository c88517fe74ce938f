"""What the shop's families share when they draw tasks: products, counts, and what an answer rests on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from core.draws import Draws
from tasks_app.families.reviews.common import rules
from tasks_app.families.reviews.common.rules import Entry, Rule
from tasks_app.families.wordings import Wording
from tasks_app.worlds.reviews.mentions import FEWEST, MOST
from tasks_app.worlds.reviews.types import Outline, Product, Term, World
from tasks_app.worlds.reviews.world import SIZES

T = TypeVar("T")

RULES_TRIED = 4
MOST_SHARE = 0.035
"""The largest share of one count: log-uniform alone would make 3 the answer of every tenth task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionQuery:
    """A term under a rule, with the reviews of one product that mention it, newest first.

    ``lax`` are the reviews that a careless reader would count.
    """

    product: Product
    term: Term
    rule: Rule
    found: list[Outline]
    lax: Sequence[Entry]

    @property
    def given(self) -> dict[str, Any]:
        return {"product": self.product.id, "term": self.term.word, "rule": self.rule.plain}


def _count_weights() -> list[float]:
    weights = [math.log((count + 1) / count) for count in range(FEWEST, MOST + 1)]
    for _ in range(20):
        total = sum(weights)
        weights = [min(weight / total, MOST_SHARE) for weight in weights]
    return weights


COUNTS = range(FEWEST, MOST + 1)
COUNT_WEIGHTS = _count_weights()


def count_draw(draws: Draws) -> int:
    """A count to look for: log-uniform from 3 to 60, but none of them more than ``MOST_SHARE``."""
    return draws.weighted(COUNTS, COUNT_WEIGHTS)


def nearest_count(draws: Draws, options: Iterable[T], count: Callable[[T], int]) -> T | None:
    """The option whose count is nearest to one drawn, of those from 3 to 60."""
    wanted = math.log(count_draw(draws))
    fitting = [option for option in options if FEWEST <= count(option) <= MOST]
    return min(fitting, key=lambda option: abs(math.log(count(option)) - wanted), default=None)


def product_draw(world: World, draws: Draws, level: int) -> Product:
    """A product with as many reviews as the level has; the rivals always hold one."""
    low, high = SIZES[level - 1]
    return draws.pick([product for product in world.products if low <= product.review_count <= high])


def query_options(
    world: World, draws: Draws, product: Product, level: int, *, tried: int = RULES_TRIED
) -> list[MentionQuery]:
    """Each term of the product under a few rules of the level."""
    drawn = [rules.rule_draw(draws, level) for _ in range(tried)]
    return [
        query_make(world, product, term, rule)
        for term in rules.terms(world, product)
        for rule in dict.fromkeys(drawn)
    ]


def query_make(world: World, product: Product, term: Term, rule: Rule) -> MentionQuery:
    entries = rules.mentions(world, product.id).get(term.word, ())
    return MentionQuery(
        product=product, term=term, rule=rule, found=rules.counted(entries, rule), lax=entries
    )


def ends(found: Sequence[Outline]) -> dict[str, Outline]:
    """The newest and the oldest review, each where no other is of the same day."""
    told = {}
    if found and (len(found) == 1 or found[0].day != found[1].day):
        told["newest"] = found[0]
    if found and (len(found) == 1 or found[-1].day != found[-2].day):
        told["oldest"] = found[-1]
    return told


def end_draw(draws: Draws, found: Sequence[Outline]) -> tuple[str, Outline]:
    """One of ``ends``, which must not be empty."""
    return draws.pick(sorted(ends(found).items(), key=lambda each: each[0]))


def needs(query: MentionQuery, found: Iterable[Outline]) -> tuple[str, ...]:
    """Where it is shown that each of the reviews mentions the term: in it, behind its fold, in its reply."""
    wanted = rules.traces_counted(query.rule)
    traces = {entry.outline.id: entry.traces & wanted for entry in query.lax}
    return tuple(sorted(_need(outline.id, traces[outline.id]) for outline in found))


def _need(review: str, traces: int) -> str:
    if traces & rules.FRONT:
        return f"review {review}"
    return f"review {review} more" if traces & rules.BEHIND else f"review {review} reply"


def mention_text(
    wording: Wording, draws: Draws, query: MentionQuery, name: str = "task", **slots: str
) -> str:
    """A phrase about a query: its opening is drawn first, then its rule, then what else it holds."""
    slots = {"product": named(query.product), "term": f'"{query.term.word}"', **slots}
    opening = wording.text(draws, "opening", **slots)
    rule = rules.rule_text(query.rule, query.term, draws)
    return wording.text(draws, name, opening=opening, rule=rule, **slots)


def named(product: Product) -> str:
    return f"the {product.name} ({product.noun})"
