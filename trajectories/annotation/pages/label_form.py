"""Parser for a unit's posted form."""

from __future__ import annotations

import re
import uuid

from django.http import QueryDict

from core.database.integers import INT_MAX
from core.errors import GymError
from trajectories.annotation.codebook.types import Codebook, Field
from trajectories.annotation.labels.answers import STEP_MAX, Answers, mirror_answers
from trajectories.annotation.labels.services import Saving
from trajectories.models import Label

SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
LINK_PREFIX = "link-"
STEP_PREFIX = "step-"
STARTS = ("steps", "steps2")


def saving_read(data: QueryDict, *, codebook: Codebook, is_swapped: bool = False) -> Saving:
    """Read a posted label; ``is_swapped`` means that the pair was shown in reverse.

    Raises ``GymError`` 400 ``bad_label`` for a form that none of our pages could have sent.
    """
    try:
        key = uuid.UUID(data.get("key", ""))
        version = int(data.get("version", ""))
        active = data.get("active_ms", "")
        active_ms = min(int(float(active)), INT_MAX) if active else None
    except (ValueError, OverflowError):
        raise GymError("bad_label", "This form is damaged: open your queue again.", status=400) from None
    answers = answers_read(data, codebook=codebook)
    return Saving(
        key=key,
        version=min(version, INT_MAX - 1),
        state=Label.State.SKIPPED if data.get("skip") else Label.State.DONE,
        answers=mirror_answers(answers, codebook=codebook) if is_swapped else answers,
        active_ms=active_ms if active_ms is None or active_ms >= 0 else None,
        is_swapped=is_swapped,
    )


def answers_read(data: QueryDict, *, codebook: Codebook) -> Answers:
    """Read the answers to the codebook's fields; fields that the codebook lacks are ignored."""
    values = {
        field.id: list(dict.fromkeys(data.getlist(field.id))) if field.is_set else _value(data, field)
        for field in codebook.fields
        if field.is_set or data.get(field.id)
    }
    spans = [
        [int(number) for number in match.groups()]
        for match in map(SPAN.fullmatch, data.getlist("span"))
        if match
    ]
    links = {
        name.removeprefix(LINK_PREFIX): step
        for name in data
        if name.startswith(LINK_PREFIX) and (step := _step(data.get(name, "")))
    }
    return Answers(
        values=values,
        spans=spans,
        links=links,
        note=data.get("note", "").replace("\0", ""),
        is_unsure=bool(data.get("is_unsure")),
    )


def starts_read(query: QueryDict) -> dict[str, int]:
    """Return the steps at which long lists of steps begin, by query parameter."""
    return {name: step for name in STARTS if (step := _step(query.get(name, "")))}


def _value(data: QueryDict, one: Field) -> str | int:
    """Return the chosen answer, or the step number if one was given with an answer that stands for a step."""
    value = data.get(one.id, "")
    is_step = one.step_option is not None and value == one.step_option.id
    return (_step(data.get(f"{STEP_PREFIX}{one.id}", "")) if is_step else None) or value


def _step(text: str) -> int | None:
    """Return a step number, or None if the text is anything else."""
    is_number = text.isascii() and text.isdigit() and 0 < int(text[:12]) < STEP_MAX
    return int(text[:12]) if is_number else None
