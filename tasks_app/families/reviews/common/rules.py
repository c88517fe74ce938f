"""What counts as a mention of a term: five clauses that each task states and that harder tasks reverse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from core.draws import Draws
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.goods import Term
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.types import FOLD, Mark, Outline, Product, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The plain rule; a clause that differs makes the task harder."""

    is_small_letters: bool = False
    is_one_form: bool = False
    has_titles: bool = True
    has_replies: bool = False
    has_translations: bool = True

    @property
    def plain(self) -> dict[str, bool]:
        return asdict(self)


CLAUSES = ("is_small_letters", "is_one_form", "has_titles", "has_replies", "has_translations")
REVERSED = {1: (0, 1), 2: (1, 1), 3: (1, 2), 4: (2, 3), 5: (3, 5)}
"""By level: how many clauses are reversed, at least and at most."""

SENTENCES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "is_small_letters": (
        ("Capitalisation does not matter.", "{term} may also be written in capitals."),
        (
            "The word must be all in lower case: with a capital letter it does not count.",
            "The word counts only where it is written entirely in lower case.",
        ),
    ),
    "is_one_form": (
        ("{forms} count as well.", "Other forms of the word count too: {forms}."),
        ("Only {term} itself counts, not {forms}.", "Other forms of the word ({forms}) do not count."),
    ),
    "has_titles": (
        ("A mention in the title alone does not count.", "Ignore review titles."),
        ("The title counts as part of a review.", "Check titles as well as review texts."),
    ),
    "has_replies": (
        ("Seller responses do not count.", "Ignore what the seller writes in response."),
        (
            "A seller response counts as part of its review.",
            "Treat the seller response as part of the review.",
        ),
    ),
    "has_translations": (
        (
            "Leave out reviews that were written in another language.",
            "Reviews translated from another language do not count.",
        ),
        (
            "A review in another language counts by its English translation.",
            "For reviews in other languages, go by the English translation.",
        ),
    ),
}
"""The wordings of each clause when it is false, and when it is true."""
LONGER = (
    "Longer words that merely contain {term} never count.",
    "A longer word that contains {term} is a different word.",
)


def rule_draw(draws: Draws, level: int) -> Rule:
    changed = draws.sample(CLAUSES, draws.whole(*REVERSED[level]))
    facts = {clause: not getattr(Rule(), clause) for clause in changed}
    return replace(Rule(), **facts)


def rule_of(given: Mapping[str, Any]) -> Rule:
    return Rule(**given)


def rule_text(rule: Rule, term: Term, draws: Draws) -> str:
    """The rule in sentences."""
    *most, last = [f'"{form}"' for form in term.forms]
    joint = "or" if rule.is_one_form else "and"
    forms = f"{', '.join(most)} {joint} {last}" if most else last
    clauses = draws.shuffled([SENTENCES[clause][getattr(rule, clause)] for clause in CLAUSES])
    slots = {"forms": forms, "term": f'"{term.word}"'}
    return " ".join(draws.pick(clause).format(**slots) for clause in (*clauses, LONGER))


FRONT, BEHIND, REPLY = 0x00FF, 0x0F00, 0xF000
"""The traces of what is shown at once (title, first sentences), behind "Read more", in the seller's reply."""


class Entry(NamedTuple):
    """A review with anything of a term in it: each mark that may count is one bit of ``traces``."""

    outline: Outline
    traces: int
    forms: int
    """The forms that are in it, as the bits of a number; bit 0 is a longer word."""


Mentions = Mapping[str, Sequence[Entry]]
"""Of each term, the reviews in which anything of it is."""


@lru_cache(maxsize=1 << 14)
def _trace(mark: Mark) -> int:
    if mark.form < 0:
        return 0
    place = _PLACES[mark.place] + (mark.place == "body" and mark.at >= FOLD)
    return 1 << (4 * place + 2 * (mark.form > 0) + (mark.case != "lower"))


_PLACES: Mapping[str, int] = {"title": 0, "body": 1, "reply": 3}


@lru_cache(maxsize=32)
def traces_counted(rule: Rule) -> int:
    """The bits that are mentions by the rule."""
    places = (rule.has_titles, True, True, rule.has_replies)
    forms = 0b0011 if rule.is_one_form else 0b1111
    cases = 0b0101 if rule.is_small_letters else 0b1111
    return sum((forms & cases) << 4 * place for place, is_read in enumerate(places) if is_read)


@lru_cache(maxsize=64)
def mentions(world: World, product_id: str) -> Mentions:
    """Each product's reviews are gone through once for all tasks about it."""
    by_term: dict[str, list[Entry]] = {}
    for outline in outlines(world, product_id):
        own: dict[str, tuple[int, int]] = {}
        for mark in outline.marks:
            traces, forms = own.get(mark.term, (0, 0))
            own[mark.term] = traces | _trace(mark), forms | 1 << mark.form + 1
        for term, (traces, forms) in own.items():
            by_term.setdefault(term, []).append(Entry(outline, traces, forms))
    return by_term


def counted(entries: Iterable[Entry], rule: Rule) -> list[Outline]:
    """The reviews that mention the term, in their order."""
    wanted, has_translations = traces_counted(rule), rule.has_translations
    return [
        outline
        for outline, traces, _ in entries
        if traces & wanted and (has_translations or not outline.language)
    ]


def terms(world: World, product: Product) -> tuple[Term, ...]:
    return vocabulary.of(world.edition).categories[product.category].terms


def term_named(world: World, product: Product, word: str) -> Term:
    return next(term for term in terms(world, product) if term.word == word)
