"""Labels for computing agreement, and the units behind a figure.

Agreement uses each person's newest blind label, made with the current codebook version and in one view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from trajectories.annotation.codebook.types import Field
from trajectories.annotation.columns import PLACE, label_paths
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.answers import make_comparable
from trajectories.models import AnnotationProject, Annotator, Label


@dataclass(frozen=True, kw_only=True)
class UnitLabels:
    """A unit with its labels by annotator id; for a pair, also the second episode and step."""

    unit: int
    episode: int
    step: int
    paragraph: int
    answers: dict[int, dict[str, Any]]
    other_episode: int | None = None
    other_step: int | None = None

    def answers_to(self, field: Field) -> list[Any]:
        """Return the field's answers. A person whose earlier answer ended the form has none."""
        return [values[field.id] for values in self.answers.values() if field.id in values]


def read_labelled_units(
    project: AnnotationProject,
    *,
    view: str = "",
    is_repeat: bool = False,
    kinds: Sequence[str] = (Annotator.Kind.PERSON,),
) -> list[UnitLabels]:
    """Return units labelled by annotators of these kinds, in queue order, without skips and golds.

    If no view is named, the project's first is used; it restricts only people's labels, since machines always
    see the whole unit. The result has either no repeats or, with ``is_repeat``, only repeats.
    """
    rows = (
        versions.filter_sample(project, is_repeat=is_repeat)
        .filter(
            ~Q(annotator__kind=Annotator.Kind.PERSON) | Q(view=view or project.views[0]),
            layer=Label.Layer.BLIND,
            annotator__kind__in=kinds,
        )
        .order_by("unit__position", "unit_id", "annotator_id", *versions.ORDER)
        .values_list("unit_id", *label_paths(PLACE), "annotator_id", "state", "values")
    )
    units: dict[int, UnitLabels] = {}
    for unit, *place, annotator, state, values in rows.iterator():
        if unit not in units:
            units[unit] = UnitLabels(unit=unit, answers={}, **dict(zip(PLACE, place, strict=True)))
        answers = units[unit].answers
        answers.pop(annotator, None)  # The newest version replaces earlier ones, even if it is a skip.
        if state == Label.State.DONE:
            answers[annotator] = values
    return [unit for unit in units.values() if unit.answers]


def read_clusters(project: AnnotationProject) -> dict[int, str]:
    """Return each pair's cluster, its task; empty for other projects, whose units cluster by trajectory."""
    if project.level != AnnotationProject.Level.PAIR:
        return {}
    return dict(project.units.values_list("pk", "stratum"))


def filter_units_between(
    units: Sequence[UnitLabels], *, field: str, one: str, other: str, number: str = ""
) -> list[UnitLabels]:
    """Return the units to which one person gave the answer ``one`` and another person ``other``.

    Every answer that is a step number counts as ``number``.
    """
    return [unit for unit in units if _has_pair(unit, field, one, other, number)]


def _has_pair(unit: UnitLabels, field: str, one: str, other: str, number: str) -> bool:
    values = (values.get(field) for values in unit.answers.values())
    given = [number if isinstance(value, int) else value for value in values]
    return given.count(one) >= 2 if one == other else one in given and other in given


# In this order: units that at least two people labelled, those among them to which someone gave the answer,
# and all labelled units.
PAIRED, WITH, RATED = "paired", "with", "rated"
SOURCES = (PAIRED, WITH, RATED)


def filter_units_behind(
    units: Sequence[UnitLabels], field: Field, *, option: str = "", source: str = PAIRED
) -> list[UnitLabels]:
    """Return the units from which a figure on the field, or on one of its answers, was computed."""
    return [unit for unit in units if _is_behind(unit.answers_to(field), field, option, source)]


def is_apart(unit: UnitLabels, field: Field, *, option: str = "") -> bool:
    """Return whether people's answers to the field differ.

    If an option is named, return whether some people gave it and others did not.
    """
    answers = unit.answers_to(field)
    if option:
        return len({has_option(answer, field, option) for answer in answers}) > 1
    return len(set(map(make_comparable, answers))) > 1


def has_option(answer: Any, field: Field, option: str) -> bool:
    """Return whether an answer is the option or a set that contains it.

    Every step number counts as the field's ``step_option``.
    """
    if isinstance(answer, int):
        return field.step_option is not None and field.step_option.id == option
    return option in answer if isinstance(answer, list) else bool(answer == option)


def _is_behind(answers: Sequence[Any], field: Field, option: str, source: str) -> bool:
    if source == RATED:
        return bool(answers)
    if len(answers) < 2:
        return False
    return source == PAIRED or any(has_option(answer, field, option) for answer in answers)
