"""The content of an endpoint's message in any of its shapes: text, thoughts and function calls.

OpenAI's ``content`` is a text; Mistral, Anthropic, Gemini and their proxies send lists of parts, some of
which are thoughts or calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Part = tuple[Literal["text", "thought"], str] | tuple[Literal["call"], Mapping[str, Any]]
_CAPITAL = re.compile(r"(?=[A-Z])")
_THOUGHTS = ("think", "thought", "reason")
_CALLS = ("tool_use", "tool_call", "function_call", "function")
_TEXTS = (
    "text",
    "thinking",
    "reasoning",
    "content",
    "refusal",
    "summary",
    "value",
    "output_text",
    "parts",
    "reasoningText",
    "reasoning_text",
)


def parts_read(value: object) -> Iterator[Part]:
    """Yield the parts of a ``content`` of any shape."""
    if isinstance(value, list):
        for part in value:
            yield from parts_read(part)
    elif not isinstance(value, Mapping):
        yield "text", text_read(value)
    elif isinstance(parts := value.get("parts"), list):  # Gemini's content, whose parts may be thoughts
        yield from parts_read(parts)
    else:
        kind, value = _find_kind(value)
        if value.get("thought") is True or any(word in kind for word in _THOUGHTS):
            yield "thought", text_read(value)
        elif kind in _CALLS:
            yield "call", value
        else:
            yield "text", text_read(value)


def _find_kind(value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the kind of a part, and the part; Bedrock and Gemini name it by the only key: ``toolUse``."""
    if not value.get("type") and len(value) == 1:
        [(name, inner)] = value.items()
        if isinstance(inner, Mapping):
            return _CAPITAL.sub("_", str(name)).lower(), inner
    return str(value.get("type") or "").lower(), value


def text_read(value: object) -> str:
    """Return all text within a value, in order."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(text_read, value))
    if isinstance(value, Mapping):
        return next((text for name in _TEXTS if (text := text_read(value.get(name)))), "")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else ""
