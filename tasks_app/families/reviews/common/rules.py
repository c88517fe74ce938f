"""Rules for what counts as a mention: five clauses, which every task states and harder tasks reverse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from core.draws import Draws
from tasks_app.families.wordings import site_phrases
from tasks_app.worlds.reviews import vocabulary
from tasks_app.worlds.reviews.outlines import outlines
from tasks_app.worlds.reviews.types import FOLD, Mark, Outline, Product, Term, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The clauses of a rule. Each clause that differs from the default makes a task harder."""

    is_small_letters: bool = False
    is_one_form: bool = False
    has_titles: bool = True
    has_replies: bool = False
    has_translations: bool = True

    @property
    def plain(self) -> dict[str, bool]:
        return asdict(self)


NEXT_RULE = "\n- "
CLAUSES = tuple(Rule().plain)
REVERSED = {1: (0, 1), 2: (1, 1), 3: (1, 2), 4: (2, 3), 5: (3, 5)}
"""Minimum and maximum number of reversed clauses per level."""


def rule_draw(draws: Draws, level: int) -> Rule:
    changed = draws.sample(CLAUSES, draws.whole(*REVERSED[level]))
    facts = {clause: not getattr(Rule(), clause) for clause in changed}
    return replace(Rule(), **facts)


def rule_text(rule: Rule, term: Term, draws: Draws) -> str:
    *most, last = [f'"{form}"' for form in term.forms]
    joint = "or" if rule.is_one_form else "and"
    forms = f"{', '.join(most)} {joint} {last}" if most else last
    phrases = site_phrases("reviews")
    stated = [phrases[f"{clause}_{str(is_true).lower()}"] for clause, is_true in rule.plain.items()]
    slots = {"forms": forms, "term": f'"{term.word}"'}
    clauses = (*draws.shuffled(stated), phrases["longer_words"])
    return NEXT_RULE.join(draws.pick(clause).format(**slots) for clause in clauses)


FRONT, BEHIND, REPLY = 0x00FF, 0x0F00, 0xF000
"""Bits for traces shown initially (title, first sentences), behind "Read more", and in the seller's reply."""


class Entry(NamedTuple):
    """A review that contains any trace of a term; each kind of trace is one bit of ``traces``."""

    outline: Outline
    traces: int
    forms: int
    """Bit mask of the forms in the review; bit 0 stands for a longer word."""


Mentions = Mapping[str, Sequence[Entry]]
"""Reviews that contain any trace of a term, by term."""


@lru_cache(maxsize=1 << 14)
def _trace(mark: Mark) -> int:
    if mark.form < 0:
        return 0
    position = _PLACES[mark.place] + (mark.place == "body" and mark.at >= FOLD)
    return 1 << (4 * position + 2 * (mark.form > 0) + (mark.case != "lower"))


_PLACES: Mapping[str, int] = {"title": 0, "body": 1, "reply": 3}


@lru_cache(maxsize=32)
def traces_counted(rule: Rule) -> int:
    """Return the bit mask of the traces that count as mentions under the rule."""
    places = (rule.has_titles, True, True, rule.has_replies)
    forms = 0b0011 if rule.is_one_form else 0b1111
    cases = 0b0101 if rule.is_small_letters else 0b1111
    return sum((forms & cases) << 4 * place for place, is_read in enumerate(places) if is_read)


@lru_cache(maxsize=64)
def mentions(world: World, product_id: str) -> Mentions:
    """Return the entries of each term. A product's reviews are read once for all tasks about it."""
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
    counted_traces, has_translations = traces_counted(rule), rule.has_translations
    return [
        outline
        for outline, traces, _ in entries
        if traces & counted_traces and (has_translations or not outline.language)
    ]


def terms(world: World, product: Product) -> tuple[Term, ...]:
    return vocabulary.load_vocabulary(world.edition).categories[product.category].terms


def term_named(world: World, product: Product, word: str) -> Term:
    return next(term for term in terms(world, product) if term.word == word)


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionQuery:
    """A term under a rule, with one product's reviews that mention it, newest first.

    ``lax`` contains the reviews that a careless reader would count.
    """

    product: Product
    term: Term
    rule: Rule
    mentions: list[Outline]
    lax: Sequence[Entry]

    @property
    def given(self) -> dict[str, Any]:
        return {"product": self.product.id, "term": self.term.word, "rule": self.rule.plain}


def query_make(world: World, product: Product, term: Term, rule: Rule) -> MentionQuery:
    entries = mentions(world, product.id).get(term.word, ())
    return MentionQuery(product=product, term=term, rule=rule, mentions=counted(entries, rule), lax=entries)
