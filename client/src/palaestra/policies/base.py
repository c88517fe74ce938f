"""What a policy is: the protocol that an engine calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from palaestra.completion import Completion
from palaestra.observation import Observation
from palaestra.records import AnswerForm


@dataclass(frozen=True, kw_only=True)
class EpisodeInfo:
    """The episode being played. ``step`` counts from 1; ``memory`` is the policy's own, per episode."""

    id: int
    task: int
    arm: str
    step: int
    max_steps: int
    sample_index: int
    memory: dict[str, Any]
    answer_form: AnswerForm = "line"


class Policy(Protocol):
    """Turns observations into completions. ``simulated`` is true for scripted policies."""

    @property
    def name(self) -> str: ...

    @property
    def simulated(self) -> bool: ...

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | Completion | None:
        """The next completion, raw, or None to stop without an answer."""
        ...
