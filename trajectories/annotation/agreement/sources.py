"""The units behind a figure of agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trajectories.annotation.agreement.selectors import UnitLabels
from trajectories.annotation.codebook.types import Field
from trajectories.annotation.labels.answers import comparable

# Units that two people or more labelled, those of them with the answer, and all that anyone labelled.
PAIRED, WITH, RATED = "paired", "with", "rated"
SOURCES = (PAIRED, WITH, RATED)


def units_behind(
    units: Sequence[UnitLabels], field: Field, *, option: str = "", source: str = PAIRED
) -> list[UnitLabels]:
    """The units from which a figure of the field follows, or of one of its answers."""
    return [unit for unit in units if _is_behind(unit.answers_to(field), field, option, source)]


def is_apart(unit: UnitLabels, field: Field, *, option: str = "") -> bool:
    """Return whether people's answers to the field differ.

    With an option: whether some gave it and some did not.
    """
    answers = unit.answers_to(field)
    if option:
        return len({has_option(answer, field, option) for answer in answers}) > 1
    return len(set(map(comparable, answers))) > 1


def has_option(answer: Any, field: Field, option: str) -> bool:
    """Return whether an answer is the option or a set with it; a step's number is the option for numbers."""
    if isinstance(answer, int):
        return field.step_option is not None and field.step_option.id == option
    return option in answer if isinstance(answer, list) else bool(answer == option)


def _is_behind(answers: Sequence[Any], field: Field, option: str, source: str) -> bool:
    if source == RATED:
        return bool(answers)
    if len(answers) < 2:
        return False
    return source == PAIRED or any(has_option(answer, field, option) for answer in answers)
