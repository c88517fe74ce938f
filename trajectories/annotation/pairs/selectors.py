"""Pairs with each person's newest blind choice, the adjudicated choice, and the winner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trajectories.annotation.codebook.types import Codebook, load_codebook
from trajectories.annotation.columns import label_paths
from trajectories.annotation.labels import versions
from trajectories.models import AnnotationProject, Annotator, Label

FIRST, SECOND = "first", "second"
DECIDED = (FIRST, SECOND)
MAJORITY, ADJUDICATED = "majority", "adjudicated"
DISPUTED = "disputed"
COLUMNS = ("episode", "step", "other_episode", "other_step", "stratum", "weight")
OF_LABEL = ("layer", "annotator_id", "state", "values", "is_swapped")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A person's choice. ``answer`` and ``reasons`` are option ids.

    ``answer`` refers to the unit's own order, even if the pair was shown in reverse.
    """

    answer: str
    is_swapped: bool
    reasons: list[str]


@dataclass(frozen=True, kw_only=True)
class PairChoices:
    """A pair with its ``choices`` by annotator id; ``settled`` is the adjudicated choice, if any.

    ``stratum`` is the pair's task.
    """

    unit: int
    places: tuple[tuple[int, int], tuple[int, int]]
    stratum: str
    weight: float
    choices: dict[int, Choice] = field(default_factory=dict)
    settled: Choice | None = None


def read_labelled_pairs(project: AnnotationProject) -> list[PairChoices]:
    """Return pairs that people chose between, in queue order, without repeats, skips and gold units."""
    codebook = load_codebook(project.codebook)
    pairs: dict[int, PairChoices] = {}
    for row in _rows(project):
        pair = pairs.setdefault(row["unit"], _pair(row))
        choice = _choice(row, codebook)
        # The newest version replaces earlier ones.
        if row["layer"] == Label.Layer.ADJUDICATED:
            pairs[row["unit"]] = replace(pair, settled=choice)
        elif choice is not None:
            pair.choices[row["annotator_id"]] = choice
        else:
            pair.choices.pop(row["annotator_id"], None)
    return [pair for pair in pairs.values() if pair.choices or pair.settled]


def _rows(project: AnnotationProject) -> Iterator[dict[str, Any]]:
    people = versions.filter_sample(project).filter(annotator__kind=Annotator.Kind.PERSON)
    rows = people.order_by("unit__position", "unit_id", *versions.ORDER)
    names = ("unit", *COLUMNS, *OF_LABEL)
    for row in rows.values_list("unit_id", *label_paths(COLUMNS), *OF_LABEL).iterator():
        yield dict(zip(names, row, strict=True))


def _pair(row: dict[str, Any]) -> PairChoices:
    return PairChoices(
        unit=row["unit"],
        places=((row["episode"], row["step"]), (row["other_episode"], row["other_step"])),
        stratum=row["stratum"],
        weight=row["weight"],
    )


def _choice(row: dict[str, Any], codebook: Codebook) -> Choice | None:
    fields = {field.id: field for field in codebook.fields}
    values = {name: value for name, value in row["values"].items() if name in fields}
    answers = [value for name, value in values.items() if fields[name].is_preference]
    if row["state"] != Label.State.DONE or not answers:
        return None
    reasons = [reason for name, value in values.items() if fields[name].is_set for reason in value]
    return Choice(answer=answers[0], is_swapped=row["is_swapped"], reasons=reasons)


@dataclass(frozen=True, kw_only=True)
class Winner:
    """The preferred side of a pair: ``answer`` is an option, or ``disputed`` if none has a majority."""

    pair: PairChoices
    answer: str
    source: str

    @property
    def agreement(self) -> float | None:
        """The share of people whose blind choice was this answer."""
        given = [choice.answer for choice in self.pair.choices.values()]
        return given.count(self.answer) / len(given) if given else None


def list_winners(project: AnnotationProject) -> list[Winner]:
    """Return each pair's winner by the adjudicated choice or, failing that, by the majority's."""
    return [_decide(pair) for pair in read_labelled_pairs(project)]


def _decide(pair: PairChoices) -> Winner:
    if pair.settled:
        return Winner(pair=pair, answer=pair.settled.answer, source=ADJUDICATED)
    return Winner(pair=pair, answer=_majority(list(pair.choices.values())), source=MAJORITY)


def _majority(choices: Sequence[Choice]) -> str:
    ((answer, votes),) = Counter(choice.answer for choice in choices).most_common(1)
    return answer if votes > len(choices) / 2 else DISPUTED
