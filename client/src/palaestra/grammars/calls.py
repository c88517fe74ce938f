"""A parser of calls such as ``click('e8')`` or ``type("e3", text="162")``, which are never evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from palaestra.grammars.lenient_json import Unreadable, space_skip, string_decode, value_read

NAME = re.compile(r"([A-Za-z_]+)[ \t]*")
_KEYWORD = re.compile(r"([A-Za-z_]+)\s*[=:]\s*")
_ELEMENT = re.compile(r"\[?(e\d{1,9})\]?(?![\w\"'])")
_LONG_STRING = re.compile(r"(?P<raw>[rR]?)(?P<mark>\"{3}|'{3})(?P<body>.*?)(?P=mark)", re.DOTALL)
_RAW_STRING = re.compile(r"[rR](?P<mark>[\"'])(?P<body>[^\n]*?)(?P=mark)(?=\s*[,)\]])")
Signatures = Mapping[str, Sequence[str]]  # the fields of each call, in the order of its positional arguments


def call_read(text: str, at: int, *, signatures: Signatures) -> tuple[str, dict[str, Any], int]:
    """Return the name and fields of the call that begins at ``at``, and where it ends.

    The name must be one of ``signatures``, followed by ``(``. Raises ``Unreadable``.
    """
    name = NAME.match(text, at)
    if name is None or name[1] not in signatures or text[name.end() : name.end() + 1] != "(":
        raise Unreadable(f"There is no call at {text[at : at + 20]!r}.")
    names, fields = signatures[name[1]], dict[str, Any]()
    shown = text[at : at + 40].split("\n", 1)[0]
    at = space_skip(text, name.end() + 1)
    while text[at : at + 1] != ")":
        key, at = _key(text, at, [field for field in names if field not in fields], names)
        if key in fields:
            raise Unreadable(f'"{key}" appears twice in the call.')
        fields[key], at = _argument(text, at)
        at = space_skip(text, at)
        if text[at : at + 1] == ",":
            at = space_skip(text, at + 1)
        elif text[at : at + 1] != ")":
            raise Unreadable(f"The call {shown!r} cannot be read: put each text in quotation marks.")
    return name[1], fields, at + 1


def element_read(text: str, at: int) -> tuple[str, int] | None:
    """Return the unquoted element id at ``at``, and where it ends; None if there is none."""
    element = _ELEMENT.match(text, at)
    return (element[1], element.end()) if element else None


def _key(text: str, at: int, free: Sequence[str], names: Sequence[str]) -> tuple[str, int]:
    """Return the field that an argument belongs to: the keyword before it, or the next field in order."""
    named = _KEYWORD.match(text, at)
    if named and named[1] in names:
        return named[1], named.end()
    if named and "=" in named[0]:
        raise Unreadable(f'The call has no field "{named[1]}". Its fields: {", ".join(names) or "none"}.')
    if not free:
        raise Unreadable(f"The call has too many values. Its fields: {', '.join(names) or 'none'}.")
    return free[0], at


def _argument(text: str, at: int) -> tuple[Any, int]:
    for pattern in (_LONG_STRING, _RAW_STRING):
        if literal := pattern.match(text, at):
            is_raw = pattern is _RAW_STRING or bool(literal["raw"])
            return literal["body"] if is_raw else string_decode(literal["body"]), literal.end()
    return element_read(text, at) or value_read(text, at)
