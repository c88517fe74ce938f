"""What a model wrote in one turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palaestra.records import Usage

CUT_FOR_LENGTH = "length"


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call of a tool: its name and its arguments, the text of a JSON object as the model wrote it.

    ``id`` is the endpoint's name for the call, which its result repeats.
    """

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, kw_only=True)
class Completion:
    """What a model wrote, with any details of the call that produced it, named as in ``Step``.

    ``reasoning`` is what an endpoint returned apart from the text; None where it returned none. Reasoning
    tokens in ``usage`` without it are thoughts that the model hides.
    """

    text: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish_reason: str | None = None
    model: str | None = None
    model_ms: float | None = None
    sampling: dict[str, Any] | None = None
    prompt_sha256: str | None = None
    tokens_blob: str | None = None
    policy_version: int | None = None

    @property
    def is_thought_hidden(self) -> bool:
        """Whether the model reasoned, by its usage, and does not say what."""
        return bool(self.usage and self.usage.reasoning and not self.reasoning)

    @property
    def is_cut(self) -> bool:
        """Whether the output ended at its limit: what it would have said is unknown."""
        return self.finish_reason == CUT_FOR_LENGTH
