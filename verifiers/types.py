"""Input and output of verifiers, passed between processes as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

Reason = Literal["answer", "unparsable_answer"]


def storable(text: str) -> str:
    """Remove NUL and lone surrogates from a text, since Postgres cannot store them."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


@dataclass(frozen=True)
class Gold:
    """A task's reference answer; ``accepted`` holds further answers that count as right."""

    answer: str
    accepted: tuple[str, ...] = ()
    solution: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_evidence(self) -> Evidence:
        """Return the gold as evidence, which every sound verifier accepts as an answer."""
        return Evidence(answer=self.answer, extra=self.extra)


@dataclass(frozen=True)
class Evidence:
    """The agent's evidence: one answer or several, and anything else that a verifier needs."""

    answer: str | tuple[str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """A verdict, right or wrong, with the two parsed forms that were compared, for people to read.

    ``reason`` is ``unparsable_answer`` if the answer could not be read at all (then ``correct`` is False).
    ``score`` (0 to 1) and ``metrics`` are diagnostic only, never the reward. ``parsed_gold`` is secret.
    """

    correct: bool
    reason: Reason = "answer"
    score: float = 0.0
    metrics: Mapping[str, float] = field(default_factory=dict)
    parsed_gold: str = ""
    parsed_answer: str = ""

    def storable(self) -> Verdict:
        """Return a copy that Postgres can store, whatever the answer contains."""
        return replace(
            self, parsed_gold=storable(self.parsed_gold), parsed_answer=storable(self.parsed_answer)
        )

    def as_json(self) -> dict[str, Any]:
        """Return the verdict as it is stored."""
        return asdict(self.storable())


@dataclass(frozen=True)
class Example:
    """An example that tests a verifier: the expected verdict on an answer, given the gold."""

    gold: str
    answer: str | tuple[str, ...]
    correct: bool
    extra: Mapping[str, Any] = field(default_factory=dict)
    """The gold's ``extra``."""


class UnparsableGold(ValueError):
    """The gold itself cannot be read, so no answer can be judged by it."""
