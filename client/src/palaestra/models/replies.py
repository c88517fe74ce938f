"""Replies of endpoints in any shape: whole, or as the parts of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.completion import Completion, Ending, ToolCall, count_read, ending_of, usage_clean
from palaestra.end_tokens import end_cut, rest_cut
from palaestra.models.failures import StreamBroken
from palaestra.models.parts import ToolCalls, parts_read, text_read
from palaestra.records import Usage

# The fields in which endpoints send thoughts. In this order, they are used by DeepSeek, vLLM, SGLang and
# llama.cpp; by OpenRouter and newer versions of vLLM; by Ollama; and by LiteLLM.
REASONING_FIELDS = (
    "reasoning_content",
    "reasoning",
    "thinking",
    "thinking_blocks",
    "reasoning_details",
    "thought",
    "thoughts",
)
_CALLS = ("tool_calls", "function_call", "content")
_BROKEN = "The endpoint's reply contains no completion, or one that broke off."
_COUNTS = {
    "prompt": ("prompt_tokens", "input_tokens", "prompt_eval_count"),
    "completion": ("completion_tokens", "output_tokens", "eval_count"),
    "reasoning": ("completion_tokens_details.reasoning_tokens", "reasoning_tokens"),
    "cached": ("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"),
}


class Reply:
    """Assembles a reply from a whole body or the parts of a stream, without raising because of their shape.

    ``is_streamed``: the parts of a stream are added, and the reply broke off unless there is a finish reason
    (a whole body is complete even without one). ``is_rest``: the reply continues a message that was begun.
    """

    def __init__(self, *, is_streamed: bool, is_rest: bool = False) -> None:
        self._is_streamed, self._is_rest = is_streamed, is_rest
        self._choice_index: object = None
        self._is_begun = self._has_deltas = False
        self._text = self._refusal = ""
        self._thoughts: dict[str, str] = {}
        # Some endpoints send each call twice, under the old and the new key. Only one of them counts.
        self._calls = {name: ToolCalls() for name in _CALLS}
        self._finish_reason: str | None = None
        self._usage: Usage | None = None
        self._model = self._error = ""

    def add(self, body: object) -> None:
        """Add the whole body, or one part of the stream."""
        if not isinstance(body, Mapping):
            return
        self._model = text_read(body.get("model")) or self._model
        self._error = self._error or _read_error(body.get("error"))
        own = body.get("x_groq")
        for usage in (body.get("usage"), own.get("usage") if isinstance(own, Mapping) else None):
            self._usage = usage_read(usage) or self._usage
        choices = body.get("choices")
        for choice in choices if isinstance(choices, list) else [choices]:
            if isinstance(choice, Mapping):
                self._choice_add(choice)

    def completion(self) -> Completion:
        """Return the completion. Raises ``StreamBroken`` if there is none or it broke off."""
        ending = ending_of(self._finish_reason)
        is_ended = self._finish_reason is not None or (not self._is_streamed and self._holds_something)
        if not self._is_begun or not is_ended or ending == "error":
            raise StreamBroken(self._error or self._finish_reason or _BROKEN)
        apart = next((t for name in ("content", *REASONING_FIELDS) if (t := self._thoughts.get(name))), None)
        return Completion(
            text=(rest_cut if self._is_rest else end_cut)(self._text or self._refusal),
            reasoning=apart,
            tool_calls=self._tool_calls,
            usage=self._usage,
            finish_reason=self._finish_reason,
            model=self._model or None,
        )

    # ---- inside
    @property
    def _holds_something(self) -> bool:
        return bool(self._text or self._refusal or self._tool_calls)

    @property
    def _tool_calls(self) -> tuple[ToolCall, ...]:
        return next((calls for name in _CALLS if (calls := self._calls[name].read())), ())

    def _choice_add(self, choice: Mapping[str, Any]) -> None:
        """Add the first choice, or a part of it."""
        self._is_begun, index = True, choice.get("index")
        self._choice_index = index if self._choice_index is None else self._choice_index
        if index is not None and index != self._choice_index:
            return
        for name in ("native_finish_reason", "finishReason", "finish_reason"):
            self._ending_add(choice.get(name))
        if choice.get("finish_reason") is None:  # vLLM's stop_reason is the text that it stopped at
            self._ending_add(choice.get("stop_reason"))
        self._usage = usage_read(choice.get("usage")) or self._usage
        fields = ("delta", "message") if self._is_streamed else ("message", "delta")
        name = next((name for name in (*fields, "text") if choice.get(name) is not None), "")
        if name == "message" and self._has_deltas:  # the whole message, repeated at the end of the stream
            return
        self._has_deltas |= name == "delta"
        message = choice.get(name)
        self._message_add(message if isinstance(message, Mapping) else {"content": message})

    def _message_add(self, message: Mapping[str, Any]) -> None:
        for kind, value in parts_read(message.get("content")):
            if kind == "call":
                self._calls["content"].add(value)
            elif kind == "thought":
                self._thoughts["content"] = self._thoughts.get("content", "") + str(value)
            else:
                self._text += str(value)
        self._refusal += text_read(message.get("refusal"))
        for name in REASONING_FIELDS:
            self._thoughts[name] = self._thoughts.get(name, "") + text_read(message.get(name))
        for name in ("tool_calls", "function_call"):
            self._calls[name].add(message.get(name))

    def _ending_add(self, reason: object) -> None:
        """Adopt the newest finish reason, unless an earlier one was more serious."""
        if isinstance(reason, Mapping):  # SGLang's own
            reason = reason.get("type")
        if not isinstance(reason, str) or ending_of(reason) is None:
            return
        grave: tuple[Ending, ...] = ("length", "content_filter", "error")
        if ending_of(self._finish_reason) not in grave or ending_of(reason) in grave:
            self._finish_reason = reason


def usage_read(value: object) -> Usage | None:
    """Return the token counts that an endpoint reports, except implausible ones."""
    if not isinstance(value, Mapping):
        return None
    counts = {
        name: next(
            (count for path in paths if (count := count_read(_find_value(value, path))) is not None), None
        )
        for name, paths in _COUNTS.items()
    }
    return usage_clean(Usage(**counts))


def list_model_ids(body: object) -> list[str]:
    """Return the sorted ids in a list of models, in OpenAI's shape or a similar one."""
    listed = body
    if isinstance(body, Mapping):
        listed = next((own for name in ("data", "models") if isinstance(own := body.get(name), list)), [])
    entries = listed if isinstance(listed, list) else []
    named = (
        next((text for key in ("id", "name", "model") if (text := text_read(entry.get(key)))), "")
        if isinstance(entry, Mapping)
        else text_read(entry)
        for entry in entries
    )
    return sorted(filter(None, named))


def _find_value(value: Mapping[str, Any], path: str) -> object:
    *outer, name = path.split(".")
    for key in outer:
        inner = value.get(key)
        value = inner if isinstance(inner, Mapping) else {}
    return value.get(name)


def _read_error(value: object) -> str:
    """Return the message of an error that is part of a body."""
    if isinstance(value, Mapping):
        return text_read(value.get("message")) or str(dict(value))
    return text_read(value)
