"""What counts as mentioning a term: five clauses, each of which a task states and many tasks turn round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from gymsite.core.draws import Draws
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.goods import Term
from tasks_app.worlds.reviews.types import Mark, Outline, Product, World


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
TURNED = {1: (0, 1), 2: (1, 1), 3: (1, 2), 4: (2, 3), 5: (3, 5)}
"""By level: how many clauses are turned round, fewest and most."""

SAID: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "is_small_letters": (
        ("Small letters or capitals make no difference.", "{term} may be written in capitals too."),
        (
            "The word has to be in small letters throughout: with a capital it does not count.",
            "Only where the word is all in small letters does it count.",
        ),
    ),
    "is_one_form": (
        ("{forms} count as well.", "Other forms of the word count too: {forms}."),
        ("Only {term} itself counts, not {forms}.", "Other forms of the word ({forms}) do not count."),
    ),
    "has_titles": (
        ("A mention in the title alone does not count.", "Titles do not count."),
        ("The title is part of a review.", "Look at titles as well as texts."),
    ),
    "has_replies": (
        ("The seller's replies do not count.", "Pay no regard to replies of the seller."),
        ("A seller's reply counts as part of its review.", "Take the seller's reply as part of the review."),
    ),
    "has_translations": (
        (
            "Leave out reviews that were written in another language.",
            "Reviews translated from another language do not count.",
        ),
        (
            "A review in another language counts by its English translation.",
            "Go by the translation of reviews in other languages.",
        ),
    ),
}
"""Of each clause: how it is said when it is false, and when it is true."""
LONGER = (
    "Longer words that merely contain {term} never count.",
    "A longer word with {term} inside is another word.",
)


def rule_draw(draws: Draws, level: int) -> Rule:
    turned = draws.sample(CLAUSES, draws.whole(*TURNED[level]))
    facts = {clause: not getattr(Rule(), clause) for clause in turned}
    return replace(Rule(), **facts)


def rule_of(given: Mapping[str, Any]) -> Rule:
    return Rule(**given)


def said(rule: Rule, term: Term, draws: Draws) -> str:
    """The rule in sentences."""
    *most, last = [f'"{form}"' for form in term.forms]
    joint = "or" if rule.is_one_form else "and"
    forms = f"{', '.join(most)} {joint} {last}" if most else last
    clauses = draws.shuffled([SAID[clause][getattr(rule, clause)] for clause in CLAUSES])
    slots = {"forms": forms, "term": f'"{term.word}"'}
    return " ".join(draws.pick(clause).format(**slots) for clause in (*clauses, LONGER))


def is_counted(mark: Mark, rule: Rule) -> bool:
    if mark.form < 0 or (mark.form and rule.is_one_form):
        return False
    if mark.case != "lower" and rule.is_small_letters:
        return False
    return mark.place == "body" or (rule.has_titles if mark.place == "title" else rule.has_replies)


Mentions = Mapping[str, list[tuple[Outline, list[Mark]]]]
"""Of each term, the reviews in which anything of it is, with those marks."""


def mentions(found: Iterable[Outline]) -> Mentions:
    by_term: dict[str, list[tuple[Outline, list[Mark]]]] = {}
    for outline in found:
        own: dict[str, list[Mark]] = {}
        for mark in outline.marks:
            own.setdefault(mark.term, []).append(mark)
        for term, marks in own.items():
            by_term.setdefault(term, []).append((outline, marks))
    return by_term


def counted(found: Mentions, term: str, rule: Rule) -> list[Outline]:
    """The reviews that mention the term, in their order."""
    return [
        outline
        for outline, marks in found.get(term, ())
        if (rule.has_translations or not outline.language) and any(is_counted(mark, rule) for mark in marks)
    ]


def resembling(found: Mentions, term: str) -> list[Outline]:
    """The reviews that a careless look takes for ones that mention it."""
    return [outline for outline, _ in found.get(term, ())]


def terms(world: World, product: Product) -> tuple[Term, ...]:
    return vocabulary.of(world.edition).categories[product.category].terms


def term_named(world: World, product: Product, word: str) -> Term:
    return next(term for term in terms(world, product) if term.word == word)
