"""Completions: the output of a model in one turn, and how it ended."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from palaestra.protocol.end_reasons import CloseReason
from palaestra.records import Usage

Ending = Literal["length", "content_filter", "error", "tool_calls", "stop"]

CUT_FOR_LENGTH = "length"
TEXT_CHARS = 250_000
"""Characters that are parsed of a text, a thought or tool calls: more than twice what is recorded."""
NAME_CHARS = 200
COUNT_MAX = 2**31 - 1
# An output that the endpoint or the trainer's engine gave up is not the policy's fault: it is void.
_CLOSES_AS: Mapping[Ending, CloseReason] = {
    "length": "token_budget",
    "content_filter": "content_filter",
    "error": "model_error",
}
BROKEN_OFF: Mapping[CloseReason, str] = {
    "token_budget": "The output was cut at its length limit, which ends the episode.",
    "content_filter": "A filter of the endpoint stopped the output, which ends the episode.",
    "model_error": "The output was given up before its end, which ends the episode without a verdict.",
}
"""Result message of a turn that was broken off, by end reason."""
# The words that a name holds, in the order in which they count: Cohere's ERROR_LIMIT is a limit. The names
# are those of OpenAI, Azure, Anthropic, Gemini, Mistral, Cohere, Bedrock, DeepSeek, Zhipu, OpenRouter, TGI,
# vLLM and SGLang; others are likely to hold the same words.
_ENDINGS: tuple[tuple[Ending, re.Pattern[str]], ...] = (
    (
        "length",
        re.compile(
            r"length|max_?(?:new_|output_|completion_|gen_)?tok|(?<!rate_)limit|context_?window|truncat"
            r"|incomplete|budget|num_predict|\bmax\b|\bcut|too_?long|overlong|out_of_tok|tok\w*_exhaust|repetiti"
        ),
    ),
    (
        "content_filter",
        re.compile(
            r"filter|safety|recitation|block|prohibit|spii|sensitive|guardrail|toxic|moderat|flagged|refus"
            r"|violation|inappropriate|censor|polic[iy]|unsafe|harm|\brisk|inspection|profan|malicious|\blanguage\b"
        ),
    ),
    (
        "error",
        re.compile(
            r"error|abort|cancel|fail|insufficient|rate_limit|time_?out|unavailable|interrupt|overload"
            r"|preempt|lost|disconnect|shut_?down|crash|out_of_mem|\boom\b|kill|\binternal\b|exhaust|\bother\b"
        ),
    ),
    ("tool_calls", re.compile(r"tool|function")),
)
_UNSAID = frozenset({"", "null", "none", "unspecified", "unknown"})
_PREFIX = re.compile(r"^(?:finish_?reason|stop_?reason)[_.]")
_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


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
    """The output of a model, with details of the call that produced it, named as in ``Step``.

    ``reasoning`` is what an endpoint returned apart from the text; None if it returned none. Reasoning tokens
    in ``usage`` without it are thoughts that the model hides. Implausible measurements are dropped, so that
    no number from an endpoint makes the server reject a step. ``actor`` is ``oracle`` for a policy that
    follows a known solution.
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
    actor: str | None = None

    def __post_init__(self) -> None:
        for name, value in (
            ("usage", usage_clean(self.usage)),
            ("model_ms", _clean_milliseconds(self.model_ms)),
            ("finish_reason", _clean_name(self.finish_reason)),
            ("model", _clean_name(self.model)),
        ):
            object.__setattr__(self, name, value)

    def truncate(self) -> Completion:
        """Return the completion with the last ``TEXT_CHARS`` of its text, where the action stands, and the
        first of its reasoning and calls: a model that never stops must not slow down other episodes."""
        calls, left = [], TEXT_CHARS
        for call in self.tool_calls:
            arguments = call.arguments[:left]
            calls.append(call if arguments == call.arguments else replace(call, arguments=arguments))
            left -= len(arguments) + len(call.name) + 1
            if left <= 0:
                break
        reasoning = self.reasoning[:TEXT_CHARS] if self.reasoning else self.reasoning
        return replace(self, text=self.text[-TEXT_CHARS:], reasoning=reasoning, tool_calls=tuple(calls))

    @property
    def is_thought_hidden(self) -> bool:
        """True if the model reasoned, by its usage, but does not reveal its thought."""
        return bool(self.usage and self.usage.reasoning and not self.reasoning)

    @property
    def is_cut(self) -> bool:
        """True if the output was cut at its length limit."""
        return ending_of(self.finish_reason) == "length"

    @property
    def is_filtered(self) -> bool:
        """True if a filter of the endpoint stopped or withheld the output."""
        return ending_of(self.finish_reason) == "content_filter"

    @property
    def broken_off(self) -> CloseReason | None:
        """The end reason of an episode whose output was cut, filtered or given up; None for a whole one."""
        ending = ending_of(self.finish_reason)
        return _CLOSES_AS.get(ending) if ending else None


def count_read(value: object) -> int | None:
    """Return a number of tokens as an endpoint writes it, None for a value that cannot be one."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= COUNT_MAX and value == int(value) else None


def usage_clean(usage: Usage | None) -> Usage | None:
    """Return the usage without impossible counts, None if none is left."""
    if not isinstance(usage, Usage):
        return None
    counts = {name: count_read(getattr(usage, name)) for name in Usage.__struct_fields__}
    return Usage(**counts) if any(count is not None for count in counts.values()) else None


def _clean_milliseconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _clean_name(value: object) -> str | None:
    return str(value)[:NAME_CHARS] if value is not None else None


def ending_of(finish_reason: str | None) -> Ending | None:
    """Return the meaning of a finish reason, None for an empty one. An unknown name is a ``stop``."""
    words = _WORD_END.sub("_", finish_reason or "").strip().lower()
    name = _PREFIX.sub("", re.sub(r"[\s-]+", "_", words))
    if name in _UNSAID:
        return None
    return next((ending for ending, pattern in _ENDINGS if pattern.search(name)), "stop")
