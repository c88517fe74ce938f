"""Completions: what a model wrote in one turn, and why it stopped."""

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
"""The maximum characters of a text, a thought or tool calls that are parsed: over twice what is recorded."""
NAME_CHARS = 200
COUNT_MAX = 2**31 - 1
# If the endpoint or the trainer's engine gave up on an output, the policy is not to blame: the episode is
# void.
_CLOSES_AS: Mapping[Ending, CloseReason] = {
    "length": "token_budget",
    "content_filter": "content_filter",
    "error": "model_error",
}
BROKEN_OFF: Mapping[CloseReason, str] = {
    "token_budget": "The output was cut at its length limit, which ends the episode.",
    "content_filter": "The endpoint's content filter stopped the output, which ends the episode.",
    "model_error": "The output was abandoned before its end, which ends the episode without a verdict.",
}
"""Result message of an interrupted turn, by end reason."""
# Words in the names of finish reasons. The first match counts: Cohere's ERROR_LIMIT is a limit, not an error.
# The names come from OpenAI, Azure, Anthropic, Gemini, Mistral, Cohere, Bedrock, DeepSeek, Zhipu, OpenRouter,
# TGI, vLLM and SGLang; other endpoints probably use the same words.
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
    """One tool call: the tool's name, and the arguments as the JSON text that the model wrote.

    ``id`` is the endpoint's id of the call; the call's result repeats it.
    """

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, kw_only=True)
class Completion:
    """A model's output, with details of the call that produced it, in fields named as in ``Step``.

    ``reasoning`` is what the endpoint returned separately from the text; None if it returned nothing. If
    ``usage`` counts reasoning tokens but ``reasoning`` is None, the model hides its thoughts. Implausible
    measurements are dropped, so that the server never rejects a step because of a number from an endpoint.
    ``actor`` is ``oracle`` for a policy that follows a known solution.
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
        """Return the completion with at most ``TEXT_CHARS`` of each of its parts.

        The end of the text is kept, because the action is there, and the beginning of the reasoning and of
        the calls. A model that never stops must not slow down other episodes.
        """
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
        """True if the usage shows that the model reasoned, but its thought was not returned."""
        return bool(self.usage and self.usage.reasoning and not self.reasoning)

    @property
    def is_cut(self) -> bool:
        """True if the output was cut at its length limit."""
        return ending_of(self.finish_reason) == "length"

    @property
    def is_filtered(self) -> bool:
        """True if the endpoint's content filter stopped or withheld the output."""
        return ending_of(self.finish_reason) == "content_filter"

    @property
    def broken_off(self) -> CloseReason | None:
        """The episode's end reason if the output was cut, filtered or abandoned; None if it is complete."""
        ending = ending_of(self.finish_reason)
        return _CLOSES_AS.get(ending) if ending else None


def count_read(value: object) -> int | None:
    """Parse a token count as endpoints write it; None for a value that cannot be a count."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value <= COUNT_MAX and value == int(value) else None


def usage_clean(usage: Usage | None) -> Usage | None:
    """Return the usage without impossible counts; None if no count is left."""
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
    """Return what a finish reason means; None if it is empty. Unknown names count as ``stop``."""
    words = _WORD_END.sub("_", finish_reason or "").strip().lower()
    name = _PREFIX.sub("", re.sub(r"[\s-]+", "_", words))
    if name in _UNSAID:
        return None
    return next((ending for ending, pattern in _ENDINGS if pattern.search(name)), "stop")
