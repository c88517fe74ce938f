"""Preferences of people: the newest blind choice of each person for each pair, and what was settled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from trajectories.annotation.codebook.types import Codebook, codebook_of
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, Annotator, Label

PLACE = (
    "unit_id",
    "unit__episode_id",
    "unit__step",
    "unit__other_episode_id",
    "unit__other_step",
    "unit__stratum",
    "unit__weight",
)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """``answer`` and ``reasons`` are options; the answer is in terms of the unit, however it was shown."""

    answer: str
    is_swapped: bool
    reasons: list[str]


@dataclass(frozen=True, kw_only=True)
class PairChoices:
    """``choices`` by annotator; ``settled`` is the adjudicated one, if any. ``stratum`` is the task."""

    unit: int
    places: tuple[tuple[int, int], tuple[int, int]]
    stratum: str
    weight: float
    choices: dict[int, Choice] = field(default_factory=dict)
    settled: Choice | None = None


def pairs_labelled(project: AnnotationProject) -> list[PairChoices]:
    """Pairs with a choice of a person, in the queue's order; no repeats, skips or units for training."""
    codebook = codebook_of(project.codebook)
    pairs: dict[int, PairChoices] = {}
    for row in _rows(project):
        pair = pairs.setdefault(row["unit_id"], _pair(row))
        choice = _choice(row, codebook)
        # A later version counts.
        if row["layer"] == Label.Layer.ADJUDICATED:
            pairs[row["unit_id"]] = replace(pair, settled=choice)
        elif choice is not None:
            pair.choices[row["annotator_id"]] = choice
        else:
            pair.choices.pop(row["annotator_id"], None)
    return [pair for pair in pairs.values() if pair.choices or pair.settled]


def _rows(project: AnnotationProject) -> Iterator[dict[str, Any]]:
    rows = Label.objects.filter(
        unit__project=project,
        is_repeat=False,
        unit__gold__isnull=True,
        codebook_id=project.codebook_id,
        annotator__kind=Annotator.Kind.PERSON,
    ).order_by("unit__position", "unit_id", *versions.ORDER)
    fields = ("layer", "annotator_id", "state", "values", "is_swapped")
    yield from rows.values(*PLACE, *fields).iterator()


def _pair(row: dict[str, Any]) -> PairChoices:
    return PairChoices(
        unit=row["unit_id"],
        places=(
            (row["unit__episode_id"], row["unit__step"]),
            (row["unit__other_episode_id"], row["unit__other_step"]),
        ),
        stratum=row["unit__stratum"],
        weight=row["unit__weight"],
    )


def _choice(row: dict[str, Any], codebook: Codebook) -> Choice | None:
    fields = {one.id: one for one in codebook.fields}
    values = {name: value for name, value in row["values"].items() if name in fields}
    answers = [value for name, value in values.items() if fields[name].is_preference]
    if row["state"] != Label.State.DONE or not answers:
        return None
    reasons = [reason for name, value in values.items() if fields[name].is_set for reason in value]
    return Choice(answer=answers[0], is_swapped=row["is_swapped"], reasons=reasons)
