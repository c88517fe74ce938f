"""Removes from CSS whatever would fetch something: unknown addresses, imports, image sets.

CSS is read by the tokens of CSS Syntax Level 3, so that comments, strings and escapes (``\\75rl(``) cannot
hide an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Resolve = Callable[[str], str | None]
"""Maps a recorded address to one of the lab; None if the lab does not show it."""

# The CSS parser of rrweb takes minutes for endlessly nested rules.
DEEPEST = 32
NOTHING = 'url("data:,")'
# rrweb splits a style sheet at this comment into its original texts.
SPLIT = "/* rr_split */"
# Functions other than url() that may contain an address; renaming them makes the declaration invalid.
FETCHING = frozenset(
    ("src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "expression")
)
FETCHING_RULES = frozenset(("import", "namespace", "document", "-moz-document"))
FETCHING_PROPERTIES = frozenset(("behavior", "-moz-binding"))

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\r\n\f0-9a-fA-F])"
_NAME = rf"(?:[-\w\x80-\U0010ffff]|{_ESCAPE})+"
_STRING = "|".join(rf"{mark}(?:[^{mark}\\\r\n\f]|\\(?:\r\n|[\s\S]))*{mark}?" for mark in "\"'")
# "<!--" is a token of its own, not the beginning of a name: an address may follow.
_TOKEN = re.compile(
    rf"(?P<comment>/\*[\s\S]*?(?:\*/|\Z)|<!--)|(?P<string>{_STRING})|(?P<name>@?{_NAME})(?P<open>\()?"
)
_QUOTED = re.compile(rf"[ \t\r\n\f]*(?P<string>{_STRING})")
_UNQUOTED = re.compile(r"[ \t\r\n\f]*(?P<text>(?:[^)\\]|\\[\s\S]?)*)\)?")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\s\S])|\Z)")


def css_clean(text: str, resolve: Resolve) -> str:
    """The CSS with each address replaced by the result of ``resolve``, or by an empty one.

    It is cut where rules are nested deeper than ``DEEPEST``.
    """
    parts: list[str] = []
    place = depth = 0
    while match := _TOKEN.search(text, place):
        between = text[place : match.start()]
        depth += between.count("{")
        if depth > DEEPEST:
            return "".join(parts)
        depth = max(0, depth - between.count("}"))
        parts.append(between)
        place = match.end()
        if match["comment"] is not None:
            parts.append(SPLIT if match["comment"] == SPLIT else "/**/")
        elif match["string"] is not None:
            parts.append(match["string"])
        elif match["open"] and _plain(match["name"]) == "url":
            address, place = _address(text, place)
            parts.append(_url(address, resolve))
        else:
            parts.append(_word(match["name"], match["open"] or ""))
    rest = text[place:]
    return "".join(parts) + (rest if rest.count("{") <= DEEPEST else "")


def _word(name: str, opening: str) -> str:
    plain = _plain(name)
    is_fetching = plain in FETCHING if opening else plain in FETCHING_PROPERTIES
    if plain.startswith("@") and plain[1:] in FETCHING_RULES:
        return f"@gone{opening}"
    return f"gone-{plain}{opening}" if is_fetching else f"{name}{opening}"


def _address(text: str, place: int) -> tuple[str, int]:
    """The address after ``url(``, and the position after its closing bracket; modifiers are dropped."""
    quoted = _QUOTED.match(text, place)
    if quoted is None:
        plain = _UNQUOTED.match(text, place)
        return (_unescaped(plain["text"]).strip(), plain.end()) if plain else ("", place)
    rest = _UNQUOTED.match(text, quoted.end())
    written = quoted["string"]
    inner = written[1:-1] if len(written) > 1 and written.endswith(written[0]) else written[1:]
    return _unescaped(inner), rest.end() if rest else quoted.end()


def _url(address: str, resolve: Resolve) -> str:
    shown = resolve(address)
    return f'url("{_written(shown)}")' if shown is not None else NOTHING


def _written(address: str) -> str:
    return "".join(f"\\{ord(char):x} " if char in '"\\' or ord(char) < 32 else char for char in address)


def _plain(name: str) -> str:
    return _unescaped(name).lower()


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        number = int(escape[1], 16)
        is_valid = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
        return chr(number) if is_valid else "\ufffd"
    return escape[2] if escape[2] and escape[2] not in "\r\n\f" else ""
