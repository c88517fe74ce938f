"""Gold units, which train annotators: their right answers are known, and shown after labelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.db import transaction
from django.db.models import QuerySet

from core.errors import GymError
from trajectories.annotation.codebook.types import Codebook, Field, load_codebook
from trajectories.annotation.columns import PLACE, UnitPlace, unit_paths
from trajectories.annotation.labels import versions
from trajectories.annotation.labels.answers import (
    NOTE_CHARS,
    Answers,
    check_answers,
    make_comparable,
    prune_answers,
)
from trajectories.models import AnnotationProject, AnnotationUnit, Annotator, Label
from trajectories.models.annotation import View

NO_ANSWER = "no answer"
LINES_MAX = 1_000
ERRORS_SHOWN = 5
ERROR_CHARS = 500


class Gold(UnitPlace, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line in a file of golds: a unit, its right answers (``values``), and ``why`` they are right."""

    values: dict[str, str | int | list[str]]
    why: str


@dataclass(frozen=True, kw_only=True)
class AnswerCheck:
    """An annotator's answer to a field of a gold unit, with the right answer; either may be missing."""

    field: Field
    given: Any
    right: Any

    @property
    def is_right(self) -> bool:
        return bool(make_comparable(self.given) == make_comparable(self.right))

    @property
    def given_words(self) -> str:
        return self.field.words(self.given) or NO_ANSWER

    @property
    def right_words(self) -> str:
        return self.field.words(self.right) or NO_ANSWER


@dataclass(frozen=True, kw_only=True)
class Score:
    """An annotator's score in a field, over gold units: their right first answers, and all first answers."""

    right: int = 0
    total: int = 0


def list_golds(project: AnnotationProject) -> QuerySet[AnnotationUnit]:
    return AnnotationUnit.objects.filter(project=project, gold__isnull=False).order_by("position", "pk")


def gold_set(unit: AnnotationUnit, *, values: dict[str, Any], why: str) -> None:
    """Make a unit a gold unit. Raises ``GymError`` 422 for invalid answers or a missing reason."""
    unit.gold = _checked(unit, values=values, why=why)
    unit.save(update_fields=["gold"])


def gold_clear(unit: AnnotationUnit) -> None:
    """Make a gold unit an ordinary unit again.

    Its labels stay and count from now on, since each was made before its annotator saw the right answer.
    """
    unit.gold = None
    unit.save(update_fields=["gold"])


def gold_from_label(unit: AnnotationUnit, *, annotator: Annotator | None, why: str) -> None:
    """Make a unit a gold unit, with an annotator's newest label or, without one, the adjudicated label.

    Raises ``GymError`` 422 ``no_label`` if there is no such label.
    """
    rows = Label.objects.filter(unit=unit, is_repeat=False)
    rows = (
        rows.filter(annotator=annotator, layer=Label.Layer.BLIND)
        if annotator
        else rows.filter(layer=Label.Layer.ADJUDICATED)
    )
    label = versions.pick_newest(rows)
    if label is None or label.state != Label.State.DONE:
        whose = "You have not labelled this unit." if annotator else "This unit has no adjudicated label."
        raise GymError("no_label", whose, status=422)
    gold_set(unit, values=label.values, why=why)


def find_unit(project: AnnotationProject, **place: int | None) -> AnnotationUnit:
    """Return a project's unit by its ``PLACE`` columns; a pair is not found in reverse order.

    Raises ``GymError`` 422 ``no_unit`` if there is none.
    """
    place = {name: place.get(name, 0 if name == "paragraph" else None) for name in PLACE}
    columns = dict(zip(unit_paths(PLACE), place.values(), strict=True))
    rows = AnnotationUnit.objects.select_related("project__codebook").filter(project=project, **columns)
    if (unit := rows.first()) is None:
        words = f"episode {place['episode']}, step {place['step']}"
        words += f", paragraph {place['paragraph']}" if place["paragraph"] else ""
        if place["other_episode"] is not None:
            words += f", and episode {place['other_episode']}, step {place['other_step']}"
        raise GymError("no_unit", f"This project has no unit for {words}.", status=422)
    return unit


def parse_golds(text: str) -> list[tuple[int, Gold | str]]:
    """Parse a file of golds: return each line's number with its gold, or with what is wrong with it.

    Raises ``GymError`` 422 ``bad_golds`` if there are no lines, or too many.
    """
    # If there are too many lines, the text is not even split.
    lines = [] if text.count("\n") > LINES_MAX else text.split("\n")
    parsed = [(number, _gold(line)) for number, line in enumerate(lines, start=1) if line.strip()]
    if not 0 < len(parsed) <= LINES_MAX:
        raise GymError("bad_golds", f"A file must have between 1 and {LINES_MAX:,} lines.", status=422)
    return parsed


def _gold(line: str) -> Gold | str:
    try:
        return msgspec.json.decode(line, type=Gold)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return f"{error}."


@transaction.atomic
def golds_read(project: AnnotationProject, text: str) -> int:
    """Make the units in a file gold units, and return their number.

    Raises ``GymError`` 422 that lists the wrong lines, if there are any; then no unit is changed.
    """
    lines = parse_golds(text)
    errors = []
    for number, gold in lines:
        try:
            if isinstance(gold, str):
                raise GymError("bad_gold", gold)
            unit = find_unit(project, **{name: getattr(gold, name) for name in PLACE})
            gold_set(unit, values=dict(gold.values), why=gold.why)
        except GymError as error:
            errors.append(f"Line {number}: {error.message[:ERROR_CHARS]}")
    if errors:
        more = f" And {len(errors) - ERRORS_SHOWN} more." if len(errors) > ERRORS_SHOWN else ""
        raise GymError("bad_golds", " ".join(errors[:ERRORS_SHOWN]) + more, status=422)
    return len(lines)


def check_gold_answers(
    values: Mapping[str, Any], right: Mapping[str, Any], codebook: Codebook
) -> list[AnswerCheck]:
    """Compare the given answers with the right ones, in each field that was answered or should have been."""
    return [
        AnswerCheck(field=field, given=values.get(field.id), right=right.get(field.id))
        for field in codebook.fields
        if field.id in values or field.id in right
    ]


def score_annotators(project: AnnotationProject, codebook: Codebook) -> dict[int, list[Score]]:
    """Score each annotator's first labels of gold units.

    Returns, by annotator id, one score for each field of the codebook.
    """
    rows = (
        Label.objects.filter(
            unit__project=project,
            unit__gold__isnull=False,
            layer=Label.Layer.BLIND,
            is_repeat=False,
            state=Label.State.DONE,
            annotator__kind=Annotator.Kind.PERSON,
        )
        .order_by("annotator_id", "unit_id", *versions.ORDER)
        .distinct("annotator_id", "unit_id")
        .values_list("annotator_id", "values", "unit__gold")
    )
    counted: dict[int, dict[str, Score]] = {}
    for annotator, values, gold in rows:
        of_one = counted.setdefault(annotator, {})
        for check in check_gold_answers(values, (gold or {}).get("values", {}), codebook):
            score = of_one.get(check.field.id, Score())
            of_one[check.field.id] = Score(right=score.right + check.is_right, total=score.total + 1)
    return {
        annotator: [of_one.get(field.id, Score()) for field in codebook.fields]
        for annotator, of_one in counted.items()
    }


def _checked(unit: AnnotationUnit, *, values: dict[str, Any], why: str) -> dict[str, Any]:
    why = why.replace("\0", "").strip()
    if not why or len(why) > NOTE_CHARS:
        message = f"Explain why these are the right answers, in at most {NOTE_CHARS:,} characters."
        raise GymError("bad_gold", message, status=422)
    codebook = load_codebook(unit.project.codebook)
    answers = Answers(values=values, note=why)
    # Golds need no marks in the thought, and the page view requires none.
    if errors := check_answers(answers, codebook=codebook, unit=unit, view=View.PAGE):
        raise GymError("bad_gold", " ".join(errors), status=422)
    return {"values": dict(prune_answers(answers, codebook=codebook).values), "why": why}
