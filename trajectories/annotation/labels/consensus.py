"""The label that counts for a unit labelled by several people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from trajectories.models import Annotator, Label, View

Values = Mapping[str, Any]


def consensus(labels: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return what was settled, else the majority of the unit's newest labels; None if no person labelled it.

    Where people saw different parts of the unit, those who saw all of it count.
    """
    settled = [label for label in labels if label["layer"] == Label.Layer.ADJUDICATED]
    people = [
        label
        for label in labels
        if label["layer"] == Label.Layer.BLIND and label["annotator_kind"] == Annotator.Kind.PERSON
    ]
    people = [label for label in people if label["view"] == View.FULL] or people
    if settled:
        (newest,) = settled
        return {"source": "adjudicated", "people": len(people), "values": newest["values"]}
    if not people:
        return None
    values = majority([label["values"] for label in people])
    return {"source": "majority", "people": len(people), "values": values}


def majority(given: Sequence[Values]) -> dict[str, Any]:
    """Return for each field the answer of more than half; if it has several answers, each such answer."""
    half = len(given) / 2
    return {
        field: _most([values.get(field) for values in given], half)
        for field in sorted({field for values in given for field in values})
    }


def _most(answers: Sequence[Any], half: float) -> Any:
    if any(isinstance(answer, list) for answer in answers):
        counts = Counter(one for answer in answers if isinstance(answer, list) for one in answer)
        return sorted(one for one, count in counts.items() if count > half)
    counts = Counter(msgspec.json.encode(answer) for answer in answers)
    (answer, count) = counts.most_common(1)[0]
    return msgspec.json.decode(answer) if count > half else None
