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
    """A grade that a judge can choose.

    A grade that counts as ``uncontrollable`` says that the attempt failed for reasons beyond the agent's
    control; the component is then void.
    """

    id: Id
    text: Text
    counts: Counts


class Criterion(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question about an attempt's ``outcome`` or ``process``.

    The judge sees only the ``evidence``. ``weight`` is the criterion's weight in the judge's mean.
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
    """The model's sampling settings.

    With ``has_schema``, the endpoint is asked to constrain the output to the form of a grade.
    """

    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.0
    top_p: Annotated[float, Meta(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Meta(ge=1, le=65_536)] = 1_024
    seed: int | None = None
    has_schema: bool = False


class JudgeBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The definition of a judge, which also determines its prompt, since that is built from the criteria."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_.-]{0,23}$")]
    url: Annotated[str, Meta(max_length=500)]
    model: Annotated[str, Meta(min_length=1, max_length=200)]
    criteria: Annotated[list[Criterion], Meta(min_length=1, max_length=CRITERIA_MAX)]
    sampling: Sampling = Sampling()

    def criterion(self, criterion_id: str) -> Criterion | None:
        return next((one for one in self.criteria if one.id == criterion_id), None)
