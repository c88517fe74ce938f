"""What a policy is, and what scripted policies share: finding their way on a page, writing an action."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Protocol

from palaestra.episode import FREE_TEXT_ARMS, Completion
from palaestra.observation import Observation

_FIELD = re.compile(
    r'^\s*\[(e\d+)\] (?:textbox|searchbox|spinbutton) "[^\n]*" value="([^"\n]*)"', re.MULTILINE
)
_BUTTON = re.compile(r"^\s*\[(e\d+)\] button ", re.MULTILINE)


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


def answer_field(observation: Observation) -> tuple[str, str] | None:
    """The id and value of the page's first text field, or None."""
    found = _FIELD.search(observation.text)
    return (found[1], found[2]) if found else None


def submit_button(observation: Observation) -> str | None:
    """The id of the page's last button, or None."""
    found = _BUTTON.findall(observation.text)
    return found[-1] if found else None


def is_free_text(arm: str) -> bool:
    return arm in FREE_TEXT_ARMS


def hand_in(
    observation: Observation, episode: EpisodeInfo, *, answer: str, first: str, then: str
) -> str | None:
    """Give ``answer`` as the arm wants it: ``first`` is thought before writing, ``then`` before sending."""
    if is_free_text(episode.arm):
        return f"{first}\n\nAnswer: {answer}"
    field, button = answer_field(observation), submit_button(observation)
    if field is None or button is None:
        return f"{first}\n\n{action_line('answer', text=answer)}" if episode.arm == "text_agent" else None
    if field[1] == answer or episode.memory.get("typed"):
        return f"{then}\n{action_line('click', target=button)}"
    episode.memory["typed"] = True
    return f"{first}\n{action_line('type', target=field[0], text=answer, clear=True)}"
