"""Disagreements between annotators: the units, and each unit's answers without names."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from string import ascii_uppercase

from core.database.sql import Statement
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.answers import Answers, read_answers
from trajectories.annotation.labels.versions import read_blind_state
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label
from trajectories.models.annotation import View

_DISAGREEMENTS = Statement(__file__, "disagreements")
OPEN, SETTLED, ALL = "open", "settled", "all"
REMEMBERED = 16
STATES = (OPEN, SETTLED, ALL)
KEYED = ascii_uppercase[:6]
LETTERS = [*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2))]


@dataclass(frozen=True)
class Disagreement:
    """A unit whose annotators differ in ``fields``: a row of ``sql/disagreements.sql``.

    ``dispute`` ranges from 0 to 1.
    """

    unit: int
    position: int
    paragraph: int
    dispute: float
    fields: list[str]
    labels: int
    reason: str
    is_settled: bool


@dataclass(frozen=True, kw_only=True)
class Column:
    """One person's answers about a unit, under a letter that hides the person's identity."""

    letter: str
    label: Label

    @property
    def key(self) -> str:
        """The keyboard key that copies this column's answers.

        It is empty for columns whose letter is a shortcut for something else on the page.
        """
        return self.letter.lower() if self.letter in KEYED else ""

    @property
    def answers(self) -> Answers:
        return read_answers(self.label)


def list_disagreements(project: AnnotationProject, *, unit: int | None = None) -> list[Disagreement]:
    """List the units whose newest blind labels by people differ, most disputed first."""
    rows = _DISAGREEMENTS.rows(project=project.pk, codebook=project.codebook_id, unit=unit)
    return [Disagreement(*row) for row in rows]


def list_disagreements_now(project: AnnotationProject) -> list[Disagreement]:
    """Return the project's disagreements in a cached order.

    Only a new label recomputes the order; settling a disagreement does not.
    """
    settled = dict(
        Label.objects.filter(unit__project=project, layer=Label.Layer.ADJUDICATED)
        .order_by("version", "pk")
        .values_list("unit_id", "reason")
    )
    return [
        replace(row, is_settled=row.unit in settled, reason=settled.get(row.unit, ""))
        for row in _disagreements(project.pk, read_blind_state(project))
    ]


@lru_cache(maxsize=REMEMBERED)
def _disagreements(project_id: int, state: Hashable) -> tuple[Disagreement, ...]:
    return tuple(list_disagreements(AnnotationProject.objects.get(pk=project_id)))


def list_units_for_others(project: AnnotationProject, annotator: Annotator | None) -> frozenset[int]:
    """List units that this adjudicator labelled but some other adjudicator, who can settle them, did not."""
    others = Annotator.objects.filter(project=project, is_adjudicator=True, user__is_active=True)
    others = others.exclude(pk=annotator.pk) if annotator else others.none()
    if not (numbers := set(others.values_list("pk", flat=True))) or annotator is None:
        return frozenset()
    rows = Label.objects.filter(
        annotator__in=[annotator.pk, *numbers], layer=Label.Layer.BLIND, state=Label.State.DONE
    )
    by_unit: dict[int, set[int]] = {}
    for unit, labelled_by in rows.values_list("unit_id", "annotator_id"):
        by_unit.setdefault(unit, set()).add(labelled_by)
    return frozenset(unit for unit, who in by_unit.items() if annotator.pk in who and numbers - who)


def find_disagreement(unit: AnnotationUnit) -> Disagreement | None:
    """Return the disagreement on a unit, or None if there is none."""
    return next(iter(list_disagreements(unit.project, unit=unit.pk)), None)


def filter_disagreements(
    rows: Iterable[Disagreement], *, field: str = "", state: str = OPEN
) -> list[Disagreement]:
    """Filter disagreements by state (open, settled or all) and, if given, by field."""
    return [
        row
        for row in rows
        if (not field or field in row.fields) and (state == ALL or row.is_settled == (state == SETTLED))
    ]


def count_fields(rows: Iterable[Disagreement]) -> Counter[str]:
    """Count, for each field, the units on which people differ."""
    return Counter(field for row in rows for field in row.fields)


def find_next_unit(rows: Sequence[Disagreement], *, after: Disagreement | None) -> int | None:
    """Return the next most disputed unit after the given one, which is itself never returned.

    After the last unit, the search starts again at the first.
    """
    if after is None:
        return rows[0].unit if rows else None

    def place(row: Disagreement) -> tuple[float, int, int]:
        return -row.dispute, row.position, row.unit

    others = [row for row in rows if row.unit != after.unit]
    behind = (row.unit for row in others if place(row) > place(after))
    return next(behind, others[0].unit if others else None)


def list_columns(unit: AnnotationUnit) -> list[Column]:
    """List people's newest blind labels of a unit, in an order that is random but fixed for each unit.

    Repeats, skips and labels made with another version of the codebook are left out.
    """
    rows = Label.objects.filter(
        unit=unit,
        layer=Label.Layer.BLIND,
        is_repeat=False,
        annotator__kind=Annotator.Kind.PERSON,
        codebook_id=unit.project.codebook_id,
    ).order_by(*versions.ORDER)
    newest = {(row.annotator_id, row.view): row for row in rows}
    done = [row for row in newest.values() if row.state == Label.State.DONE]
    done.sort(key=lambda row: _shuffled(unit, row))
    return [Column(letter=letter, label=row) for letter, row in zip(LETTERS, done, strict=False)]


def choose_view(columns: Sequence[Column]) -> str:
    """Return the view for the adjudicator: the annotators' view, or the full one if their views differ."""
    views = {column.label.view for column in columns}
    return views.pop() if len(views) == 1 else View.FULL


def find_settlement(unit: AnnotationUnit) -> Label | None:
    """Return the current adjudicated label of a unit, no matter who made it."""
    rows = Label.objects.filter(unit=unit, layer=Label.Layer.ADJUDICATED)
    return versions.pick_newest(rows)


def merge_agreed_answers(columns: Sequence[Column], *, differing: Iterable[str]) -> Answers:
    """Return the answers, marks and links on which all columns agree."""
    if not columns:
        return Answers(values={})
    every = [column.answers for column in columns]
    first = every[0]
    open_fields = set(differing)
    values = {
        name: value
        for name, value in first.values.items()
        if name not in open_fields and all(name in one.values for one in every)
    }
    return Answers(
        values=values,
        spans=first.spans if all(one.spans == first.spans for one in every) else [],
        links={k: v for k, v in first.links.items() if all(one.links.get(k) == v for one in every)},
    )


def _shuffled(unit: AnnotationUnit, label: Label) -> str:
    text = f"{unit.project.seed}:column:{unit.pk}:{label.annotator_id}:{label.view}"
    return hashlib.sha256(text.encode()).hexdigest()
