"""The component for the share of an answer's fields that are right."""

from __future__ import annotations

from palaestra.protocol.outcomes import CORRECT
from tasks_app import kinds
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, Values
from verifiers.denotations import normalise, split_cell


@component(
    "form",
    title="Form",
    description=(
        "Share of an answer's fields whose text is the same as in the gold, ignoring case and punctuation. "
        "Answers with a single field have no value; a correct answer has 1."
    ),
    unit="share of fields",
    reads="the answer and the gold",
    level="episode",
    kinds=frozenset({kinds.SITE}),
)
def form(reading: Reading) -> Values | None:
    fields = reading.payload.get("fields") or []
    if reading.gold is None or len(fields) < 2:
        return None
    if reading.outcome == CORRECT:
        return Values(1.0)
    given = reading.submitted if isinstance(reading.submitted, list) else []
    expected = split_cell(reading.gold)
    right = sum(normalise(one) == normalise(other) for one, other in zip(given, expected, strict=False))
    return Values(right / len(fields))
