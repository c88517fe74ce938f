"""The ``Policy`` protocol, and the description of an episode that a policy is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from palaestra.completion import Completion
from palaestra.observation import Observation
from palaestra.policies.clock import PolicyClock
from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.end_reasons import CloseReason

TIME_LIMIT_S = 600.0


class PolicyStopped(Exception):
    """Raised by a policy that cannot continue; the episode ends for ``reason``."""

    def __init__(self, reason: CloseReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, kw_only=True)
class EpisodeInfo:
    """The episode being played.

    ``step`` counts from 1. ``memory`` is for the policy's own use during the episode; ``clock`` counts down
    the policy's time; ``tools`` and ``response_format`` are the grammar's, if it has any.
    """

    id: int
    task: int
    arm: str
    step: int
    max_steps: int
    sample_index: int
    memory: dict[str, Any]
    answer_form: AnswerForm = "line"
    clock: PolicyClock = field(default_factory=lambda: PolicyClock(TIME_LIMIT_S))
    tools: list[dict[str, Any]] | None = None
    response_format: dict[str, Any] | None = None


class Policy(Protocol):
    """Converts observations to completions. ``simulated`` is true for scripted policies."""

    @property
    def name(self) -> str: ...

    @property
    def simulated(self) -> bool: ...

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | Completion | None:
        """Return the next raw completion, or None to stop without an answer.

        If the observation's last message is the model's own, return a continuation of that message.
        """
        ...
