"""A judge as defined in its file: a model behind an endpoint, its sampling, and its criteria."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

CRITERIA_MAX = 12
CHOICES_MAX = 8
TEXT_CHARS = 2_000
Id = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Text = Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS)]
Counts = Literal["met", "not_met", "uncontrollable"]
Evidence = Literal["task", "answer", "actions", "thoughts", "last_page"]
VALUES: dict[Counts, float | None] = {"met": 1.0, "not_met": 0.0, "uncontrollable": None}


class Choice(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A grade. An ``uncontrollable`` one says that the attempt failed by what the agent could not help: the
    component is then void."""

    id: Id
    text: Text
    counts: Counts


class Criterion(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One question about an attempt: of its ``outcome``, or of its ``process``.

    ``evidence`` is all that the judge sees. ``weight`` is its part in the judge's total.
    """

    id: Id
    kind: Literal["process", "outcome"]
    question: Text
    choices: Annotated[list[Choice], Meta(min_length=2, max_length=CHOICES_MAX)]
    evidence: Annotated[list[Evidence], Meta(min_length=1, max_length=5)]
    weight: Annotated[float, Meta(gt=0, le=1_000)] = 1.0

    def value(self, grade: str) -> float | None:
        """Return the value of a grade: 1, 0, or None for a void component."""
        counts = {choice.id: VALUES[choice.counts] for choice in self.choices}
        return counts.get(grade)


class Sampling(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sampling settings of the model.

    ``has_schema`` asks the endpoint to constrain its output to the form of a grade.
    """

    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.0
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Meta(ge=1, le=65_536)] = 1_024
    seed: int | None = None
    has_schema: bool = False


class JudgeBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Content that pins a judge, including its prompt, which is built from the criteria (``prompt.py``)."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_.-]{0,23}$")]
    url: Annotated[str, Meta(max_length=500)]
    model: Annotated[str, Meta(min_length=1, max_length=200)]
    criteria: Annotated[list[Criterion], Meta(min_length=1, max_length=CRITERIA_MAX)]
    sampling: Sampling = Sampling()

    def criterion(self, criterion_id: str) -> Criterion | None:
        return next((one for one in self.criteria if one.id == criterion_id), None)
