"""Answers about a unit, and checks of them against the codebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from django.db.models import Max

from trajectories.annotation.codebook.types import Codebook, Field, Option
from trajectories.models import AnnotationUnit, Label, Step
from trajectories.models.annotation import View

NOTE_CHARS = 4_000
STEP_MAX = 10**9


@dataclass(frozen=True, kw_only=True)
class Answers:
    """A unit's answers.

    ``values`` maps each field to an option id, a list of option ids, or a step number. ``spans`` are
    character ranges of the thought, and ``links`` maps option ids to steps.
    """

    values: Mapping[str, Any]
    spans: list[list[int]] = field(default_factory=list)
    links: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    is_unsure: bool = False


def read_answers(label: Label) -> Answers:
    """Return the answers of a stored label."""
    return Answers(**{column.name: getattr(label, column.name) for column in fields(Answers)})


def check_answers(
    answers: Answers, *, codebook: Codebook, unit: AnnotationUnit, view: str = View.FULL
) -> list[str]:
    """Return messages that say what is missing or wrong; empty if the answers are complete.

    Marks in the thought are required only if the view shows the thought.
    """
    chosen = _chosen(answers, codebook)
    is_ended = any(option.ends for option in chosen)
    errors = [
        error
        for field in codebook.fields
        if (error := _field_error(field, answers.values.get(field.id), is_ended=is_ended))
    ]
    errors += [error for field in codebook.fields if (error := _step_error(field, answers, unit))]
    unknown = sorted(set(answers.values) - {field.id for field in codebook.fields})
    errors += [f"This project's codebook has no field “{name}”." for name in unknown]
    if not answers.note.strip():
        errors += [f"“{option.title}” needs a note that says why." for option in chosen if option.needs_note]
    if len(answers.note) > NOTE_CHARS:
        errors.append(f"The note has more than {NOTE_CHARS:,} characters.")
    if view != View.PAGE and any(option.marks_span for option in chosen) and not answers.spans:
        errors += [
            f"Mark the sentences to which “{option.title}” applies." for option in chosen if option.marks_span
        ]
    if not all(unit.begin <= begin < end <= unit.end for begin, end in answers.spans):
        errors.append("A marked part lies outside the unit.")
    return errors


def prune_answers(answers: Answers, *, codebook: Codebook) -> Answers:
    """Drop what the chosen answers exclude: other fields if one ends the form, and unused marks and links."""
    chosen = _chosen(answers, codebook)
    ending = {
        field.id for field in codebook.fields for option in field.options if option.ends and option in chosen
    }
    linked = {option.id for option in chosen if option.links_step}
    return Answers(
        values={name: value for name, value in answers.values.items() if not ending or name in ending},
        spans=sorted(answers.spans) if any(option.marks_span for option in chosen) else [],
        links={name: step for name, step in answers.links.items() if name in linked and not ending},
        note=answers.note.strip(),
        is_unsure=answers.is_unsure,
    )


def mirror_answers(answers: Answers, *, codebook: Codebook) -> Answers:
    """Return the answers about a pair as if its members had swapped places."""
    mirrors = {
        field.id: {option.id: option.mirror for option in field.options if option.mirror}
        for field in codebook.fields
    }
    values = {
        name: mirrors.get(name, {}).get(value, value) if isinstance(value, str) else value
        for name, value in answers.values.items()
    }
    return replace(answers, values=values)


def check_links(answers: Answers, *, codebook: Codebook, unit: AnnotationUnit) -> list[str]:
    """Return an error for each link to a step that the episode lacks; none if the episode was deleted."""
    steps = Step.objects.filter(episode_id=unit.episode_id)
    missing = set(answers.links.values())
    missing -= set(steps.filter(index__in=missing).values_list("index", flat=True)) if missing else set()
    last = steps.aggregate(last=Max("index"))["last"] if missing else None
    titles = {option.id: option.title for field in codebook.fields for option in field.options}
    return [
        f"{titles.get(name, name)}: there is no step {step}; the steps are 1 to {last}."
        for name, step in answers.links.items()
        if last and step in missing
    ]


def make_comparable(answer: Any) -> Any:
    """Return the answer in a hashable form for comparison, in which the order within a set does not count."""
    return frozenset(answer) if isinstance(answer, list) else answer


def _step_error(one: Field, answers: Answers, unit: AnnotationUnit) -> str:
    """Return what is wrong with a step number, if anything. A trajectory's unit ends with its last step."""
    value, option = answers.values.get(one.id), one.step_option
    if option is None:
        return ""
    if value == option.id:
        return f"{one.title}: which step?"
    if isinstance(value, int) and not 1 <= value <= unit.end:
        return f"{one.title}: there is no step {value}."
    return ""


def _chosen(answers: Answers, codebook: Codebook) -> list[Option]:
    return [
        option
        for field in codebook.fields
        for option in field.options
        if option.id in _as_list(answers.values.get(field.id))
    ]


def _field_error(one: Field, value: Any, *, is_ended: bool) -> str:
    known: set[Any] = {option.id for option in one.options}
    if one.step_option and isinstance(value, int) and not isinstance(value, bool):
        known.add(value)
    if one.is_set and value is not None and not isinstance(value, list):
        return f"{one.title}: not a list of answers."
    if not one.is_set and isinstance(value, list):
        return f"{one.title}: more than one answer."
    unknown = [str(name) for name in _as_list(value) if name not in known]
    if unknown:
        return f"{one.title}: this project's codebook has no answer “{unknown[0]}”."
    if value is None and not one.is_set and not is_ended:
        return f"{one.title}: no answer yet."
    return ""


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
