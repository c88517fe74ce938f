"""Units for computing rates, with people's and machines' labels and the unit's origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from core.database.sql import Statement
from trajectories.annotation.codebook.types import Codebook
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, Annotator, Label
from trajectories.models.annotation import View

_UNITS = Statement(__file__, "units")
CORRECT, INCORRECT = "correct", "incorrect"
Answers = Mapping[str, Any]
# The chosen answers, as pairs of field and option. Labels that have any of them are counted.
Choice = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class RateUnit:
    """A unit with its labels: a row of ``sql/units.sql``, with how people and machines labelled it.

    ``people`` is the share (0 to 1) of people's labels with any of the chosen answers, or None if nobody
    could say. ``machines`` has such a value for each machine that could say.
    """

    unit: int
    episode: int
    step: int
    paragraph: int
    stratum: str
    weight: float
    words: int
    arm: str
    run: int
    run_name: str
    version: int | None
    task: int
    outcome: str
    people: float | None
    machines: Mapping[int, float]


def read_rate_units(project: AnnotationProject, *, codebook: Codebook, choice: Choice) -> list[RateUnit]:
    """Return all units except golds, with each annotator's newest label in one view, without repeats.

    If a unit was adjudicated, only the adjudicated label counts; otherwise the mean of people's labels
    counts.
    """
    if project.level != AnnotationProject.Level.STEP:
        return []
    people, settled, machines = _labels(project, codebook, choice)
    units = []
    for row in _UNITS.rows(project=project.pk):
        unit = row[0]
        of_people = settled[unit] if unit in settled else _mean(people.get(unit, {}))
        of_machines = {who: value for who, value in machines.get(unit, {}).items() if value is not None}
        units.append(RateUnit(*[*row, of_people, of_machines]))
    return units


def rate_label(values: Answers, *, codebook: Codebook, choice: Choice) -> float | None:
    """Return 1 if a label has one of the chosen answers, 0 if it has none, and None if that is unknown.

    An answer that ends the form rules out answers to other fields, unless it needs a note, as "cannot be
    judged" does: then the result is unknown.
    """
    if any(_has(values, field, option) for field, option in choice):
        return 1.0
    ends = [
        option
        for field in codebook.fields
        for option in field.options
        if option.ends and _has(values, field.id, option.id)
    ]
    if ends:
        return None if any(option.needs_note for option in ends) else 0.0
    return 0.0 if {field for field, _ in choice} <= values.keys() else None


_Shares = dict[int, dict[int, float | None]]


def _labels(
    project: AnnotationProject, codebook: Codebook, choice: Choice
) -> tuple[_Shares, dict[int, float | None], _Shares]:
    """Return people's, adjudicated and machines' labels by unit.

    People's and machines' labels are also divided by annotator.
    """
    view = View.FULL if View.FULL in project.views else project.views[0]
    rows = versions.filter_sample(project).filter(
        # The view does not restrict machines' and adjudicated labels, which are made with the whole unit in
        # view.
        Q(view=view) | Q(layer=Label.Layer.ADJUDICATED) | ~Q(annotator__kind=Annotator.Kind.PERSON)
    )
    people: _Shares = {}
    machines: _Shares = {}
    settled: dict[int, float | None] = {}
    columns = ("unit_id", "annotator_id", "annotator__kind", "layer", "state", "values")
    for unit, who, kind, layer, state, values in rows.values_list(*columns).iterator():
        is_done = state == Label.State.DONE
        value = rate_label(values, codebook=codebook, choice=choice) if is_done else None
        if layer == Label.Layer.ADJUDICATED:
            settled.pop(unit, None)
            if is_done:
                settled[unit] = value
        else:
            group = people if kind == Annotator.Kind.PERSON else machines
            group.setdefault(unit, {})[who] = value
    return people, settled, machines


def _mean(values: Mapping[int, float | None]) -> float | None:
    known = [value for value in values.values() if value is not None]
    return sum(known) / len(known) if known else None


def _has(values: Answers, field: str, option: str) -> bool:
    answer = values.get(field)
    return option in answer if isinstance(answer, list) else bool(answer == option)
