"""What a policy is, and what scripted policies share: the protocol, and the line of one action."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from palaestra.episode import Completion
from palaestra.observation import Observation
from palaestra.records import AnswerForm


@dataclass(frozen=True, kw_only=True)
class EpisodeInfo:
    """Where a policy is: ``step`` counts from 1, ``memory`` is its own and lives as long as the episode."""

    id: int
    task: int
    arm: str
    step: int
    max_steps: int
    sample_index: int
    memory: dict[str, Any]
    answer_form: AnswerForm = "line"


class Policy(Protocol):
    """Anything that turns observations into completions. ``simulated`` is true for scripts."""

    @property
    def name(self) -> str: ...

    @property
    def simulated(self) -> bool: ...

    async def act(self, observation: Observation, episode: EpisodeInfo) -> str | Completion | None:
        """The next completion, raw, or None to stop without an answer."""
        ...


def action_line(kind: str, **fields: object) -> str:
    """The action grammar's line for one action."""
    return "Action: " + json.dumps({"type": kind, **fields}, ensure_ascii=False)
