"""Number of moves that a task's scripted solution takes on pages of the neutral look.

A move is a click, a filled-in field, a chosen option or a scroll. The site's search narrows a list to the
reviews that resemble a mention; every part of them that could still contain one is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tasks_app.families.reviews.common import conditions, rules
from tasks_app.families.reviews.common.conditions import Condition
from tasks_app.families.reviews.common.rules import Entry, MentionQuery, Rule
from tasks_app.worlds.reviews.types import FOLD, Outline

OPENING = 2
"""Moves to open a product and then its reviews."""
RETURNING = 1
SUBMITTING = 1
SEARCHING = 2
"""Moves to type the word and to press "Show reviews"."""
FORMS = 2
"""Form submissions per product; two, since a term is searched for twice if not all forms contain it."""
LIST_LENGTH = 10
FILTERED = ("stars", "colour", "size", "verified", "month")
"""Facts that the page's filters can express."""


def all_moves(readings: Sequence[int], *, fields: int) -> int:
    """Count the moves to read each product's reviews in turn and to answer."""
    return sum(readings) + RETURNING * (len(readings) - 1) + fields + SUBMITTING


def mentioning(query: MentionQuery) -> int:
    """Count the moves to find a product's reviews that mention the term."""
    return OPENING + _searching(query, query.lax)


def meeting(everything: Iterable[Outline], pair: Iterable[Condition], query: MentionQuery | None) -> int:
    """Count the moves to find the reviews that meet two conditions and, with a query, mention its term."""
    filters = [condition for condition in pair if condition.fact in FILTERED]
    fitting = [each for each in everything if all(conditions.holds(condition, each) for condition in filters)]
    if query is None:
        return OPENING + len(filters) + bool(filters) + _turning(len(fitting))
    ids = {outline.id for outline in fitting}
    lax = [entry for entry in query.lax if entry.outline.id in ids]
    return OPENING + len(filters) + _searching(query, lax)


def _searching(query: MentionQuery, lax: Sequence[Entry]) -> int:
    moves = sum(_opening(query.rule, entry) for entry in lax)
    for _, forms in _searches(query):
        listed = len(lax) if forms is None else sum(entry.forms & forms != 0 for entry in lax)
        moves += SEARCHING + _turning(listed)
    return moves


def _searches(query: MentionQuery) -> Sequence[tuple[str, int | None]]:
    """List the words to search for: the term itself and those of its forms that do not contain it.

    Each comes with the forms that contain it, as the bits of ``Entry.forms``; None stands for all of them.
    """
    word, forms = query.term.word, query.term.all_forms
    others = [form for form in forms if word not in form]
    if not others:
        return [(word, None)]
    holding = {part: sum(2 << place for place, form in enumerate(forms) if part in form) for part in forms}
    searched = [(word, holding[word] | 1)]
    return searched if query.rule.is_one_form else searched + [(other, holding[other]) for other in others]


def _turning(listed: int) -> int:
    return max(0, math.ceil(listed / LIST_LENGTH) - 1)


def _opening(rule: Rule, entry: Entry) -> int:
    """Count the parts of a review that must be opened to know whether it counts."""
    outline = entry.outline
    if outline.language and not rule.has_translations:
        return 0
    counted = entry.traces & rules.traces_counted(rule)
    if counted & rules.FRONT:
        return 0
    if counted & rules.BEHIND:
        return 1
    return (outline.sentences > FOLD) + (rule.has_replies and outline.has_reply)
