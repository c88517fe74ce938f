"""The content of an endpoint's message in any of its shapes: text, thoughts and function calls.

OpenAI's ``content`` is a string, whereas Mistral, Anthropic, Gemini and their proxies send lists of parts,
some of which are thoughts or calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from palaestra.completion import ToolCall

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
_NAMES = ("name", "tool_name")
_ARGUMENTS = ("arguments", "input", "parameters", "args")


def parts_read(value: object) -> Iterator[Part]:
    """Yield the parts of a ``content`` of any shape."""
    if isinstance(value, list):
        for part in value:
            yield from parts_read(part)
    elif not isinstance(value, Mapping):
        yield "text", text_read(value)
    elif isinstance(parts := value.get("parts"), list):  # in Gemini, parts may be thoughts
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
    """Return a part's kind and content.

    In Bedrock and Gemini, a part's only key is its kind (``toolUse``).
    """
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


@dataclass
class _Draft:
    name: str = ""
    arguments: str = ""
    id: str = ""


class ToolCalls:
    """Collects the tool calls of one reply.

    Only functions are offered, so anything that names a function is a call, even if its ``type`` is missing
    or there is no object under ``function``. Arguments are a string, which a stream sends in pieces, or an
    object.
    """

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []
        self._by_index: dict[object, _Draft] = {}

    def add(self, value: object) -> None:
        """Add the calls in a message or a part of a stream: a list of calls, or a single one."""
        value = _parse_quoted(value)
        pieces = value if isinstance(value, list) else [value]
        for index, piece in enumerate(map(_parse_quoted, pieces)):
            if isinstance(piece, Mapping):
                self._add(piece, index if len(pieces) > 1 else None)

    def read(self) -> tuple[ToolCall, ...]:
        """Return the calls that name a function, in the order in which they began."""
        return tuple(
            ToolCall(name=draft.name, arguments=draft.arguments, id=draft.id)
            for draft in self._drafts
            if draft.name
        )

    # ---- inside
    def _add(self, piece: Mapping[str, Any], position: int | None) -> None:
        inner = piece.get("function")
        function = inner if isinstance(inner, Mapping) else piece
        name = next((text for key in _NAMES if (text := text_read(function.get(key)))), "")
        if not name and isinstance(inner, str):
            name = inner
        arguments = next((function[key] for key in _ARGUMENTS if function.get(key) is not None), None)
        id_ = text_read(piece.get("id") or piece.get("call_id"))
        index = piece.get("index", position)
        draft = self._find_draft(index, name=name, id_=id_, arguments=arguments)
        draft.id = draft.id or id_
        if name != draft.name:
            draft.name += name
        draft.arguments = _join(draft.arguments, arguments)

    def _find_draft(self, index: object, *, name: str, id_: str, arguments: object) -> _Draft:
        """Return the call at a piece's index, or a new call if the piece begins another one."""
        key = int(index) if isinstance(index, str) and index.isdecimal() else index
        key = key if isinstance(key, (int, str)) else None
        draft = self._by_index.get(key) if key is not None else self._find_by_id(id_)
        if draft is not None and not _is_other(draft, name=name, id_=id_, arguments=arguments):
            return draft
        draft = _Draft()
        self._drafts.append(draft)
        self._by_index[key] = draft
        return draft

    def _find_by_id(self, id_: str) -> _Draft | None:
        """Return, for a piece without an index, the call with this id or else the last call."""
        named = next((draft for draft in self._drafts if id_ and draft.id == id_), None)
        return named or (self._drafts[-1] if self._drafts else None)


def _parse_quoted(value: object) -> object:
    """Parse calls that were sent as JSON within a string; return any other value unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _is_other(draft: _Draft, *, name: str, id_: str, arguments: object) -> bool:
    """Return whether a piece begins another call, because Gemini gives several calls the same index."""
    if not name or not draft.name:
        return False
    if id_ and draft.id:
        return id_ != draft.id
    return bool(draft.arguments) and (name != draft.name or _is_whole(draft.arguments))


def _join(before: str, piece: object) -> str:
    """Append a piece to the arguments. Some endpoints begin with ``{}``, or repeat everything at the end."""
    if piece is None:
        return before
    if not isinstance(piece, str):
        return json.dumps(piece, ensure_ascii=False, default=str)
    if _is_whole(before) and piece.lstrip().startswith("{"):
        return piece
    return before + piece


def _is_whole(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
