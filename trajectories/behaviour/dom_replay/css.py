"""Removal of everything in CSS that would fetch something, such as unknown addresses, imports and image sets.

CSS is split into the tokens of CSS Syntax Level 3, so that comments, strings and escapes (``\\75rl(``) cannot
hide an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Resolve = Callable[[str], str | None]
"""Maps a recorded address to an address in the lab, or to None if the lab does not serve that file."""

# The limit exists because rrweb's CSS parser takes minutes to read endlessly nested rules.
DEEPEST = 32
BRACKETS = {"{": "}", "(": ")", "[": "]"}
# A line break ends a word. Two are needed because an escape may consume the first one.
END = "\n\n"
NOTHING = 'url("data:,")'
# At this comment, rrweb splits a style sheet into the texts that it was recorded from.
SPLIT = "/* rr_split */"
# Functions other than ``url()`` that may contain an address. They are renamed, which voids the declaration.
FETCHING = frozenset(
    ("src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "expression")
)
FETCHING_RULES = frozenset(("import", "namespace", "document", "-moz-document"))
FETCHING_PROPERTIES = frozenset(("behavior", "-moz-binding"))
# Browsers create as many grid tracks as these ask for, so a huge number would exhaust the memory.
TRACKS = frozenset(("grid-row", "grid-column", "grid-area", "repeat")) | {
    f"grid-{side}-{end}" for side in ("row", "column") for end in ("start", "end")
}

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\r\n\f0-9a-fA-F])"
_NAME = rf"(?:[-\w\x80-\U0010ffff]|{_ESCAPE})+"
_STRING = "|".join(rf"{mark}(?:[^{mark}\\\r\n\f]|\\(?:\r\n|[\s\S]))*{mark}?" for mark in "\"'")
# "<!--" is a token of its own and not the beginning of a name, so an address may follow it directly.
_TOKEN = re.compile(
    rf"(?P<comment>/\*[\s\S]*?(?:\*/|\Z)|<!--)|(?P<string>{_STRING})|(?P<name>@?{_NAME})(?P<open>\()?"
)
_BRACKET = re.compile(r"[{}()\[\]]")
_REPEAT = re.compile(r"\s*(?:[0-9]{1,4}\s*,|auto-fi(?:ll|t)\s*,|var\()", re.IGNORECASE)
_TRACKS = re.compile(r"\s*:(?P<value>[^;{}()/]{0,99}(?:/[^;{}()/*]{0,99}){0,3})(?:[;}]|$)")
_COLON = re.compile(r"\s*(?::|/\*)")
_LONG_NUMBER = re.compile(r"[0-9]{5}")
_QUOTED = re.compile(rf"[ \t\r\n\f]*(?P<string>{_STRING})")
_UNQUOTED = re.compile(r"[ \t\r\n\f]*(?P<text>(?:[^)\\]|\\[\s\S]?)*)\)?")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\s\S])|\Z)")


def css_clean(text: str, resolve: Resolve) -> str:
    """Return the CSS with each address replaced by the result of ``resolve``.

    If ``resolve`` returns None, the address becomes an empty one. The text is cut off where brackets nest
    deeper than ``DEEPEST``.
    """
    return _cleaned(text, resolve)[0]


def css_clean_part(text: str, resolve: Resolve) -> str:
    """Clean one of the texts that make up a style sheet, as ``css_clean`` does.

    All brackets and words still open at its end are closed, so that several such texts stay clean when they
    are joined in any order.
    """
    shown, closing = _cleaned(text, resolve)
    is_ended = not shown or (not closing and shown.endswith(("}", ";")))
    return shown if is_ended else f"{shown}{END}{closing}"


def _cleaned(text: str, resolve: Resolve) -> tuple[str, str]:
    """Return the clean text, and the closing brackets that it still needs at its end."""
    parts: list[str] = []
    closing: list[str] = []
    place = 0
    while match := _TOKEN.search(text, place):
        between = text[place : match.start()]
        _nest(closing, between + (match["open"] or ""))
        if len(closing) > DEEPEST:
            break
        parts.append(between)
        place = match.end()
        if match["comment"] is not None:
            parts.append(SPLIT if match["comment"] == SPLIT else "/**/")
        elif match["string"] is not None:
            parts.append(_closed(match["string"], is_last=place == len(text)))
        elif match["open"] and _plain(match["name"]) == "url":
            address, place = _address(text, place)
            closing.pop()
            parts.append(_url(address, resolve))
        else:
            parts.append(_word(match["name"], match["open"] or "", text, place))
    else:
        _nest(closing, text[place:])
        if len(closing) <= DEEPEST:
            parts.append(text[place:])
    return "".join(parts), "".join(reversed(closing[:DEEPEST]))


def _nest(closing: list[str], text: str) -> None:
    """Update the stack of closing brackets that are still needed after a text."""
    for bracket in _BRACKET.findall(text):
        if bracket in BRACKETS:
            closing.append(BRACKETS[bracket])
        elif closing and closing[-1] == bracket:
            closing.pop()


def _closed(string: str, *, is_last: bool) -> str:
    """Close an unterminated string at the end of a text, because it would swallow the text that follows."""
    is_open = len(string) < 2 or not string.endswith(string[0]) or _is_escaped_at_end(string)
    return f"{string}{string[0]}" if is_last and is_open else string


def _is_escaped_at_end(string: str) -> bool:
    before = string[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _word(name: str, opening: str, text: str, place: int) -> str:
    plain = _plain(name)
    if _is_huge(plain, text, place):
        return f"gone-{plain.lstrip('-')}{opening}"
    is_fetching = plain in FETCHING if opening else plain in FETCHING_PROPERTIES
    if plain.startswith("@") and plain[1:] in FETCHING_RULES:
        return f"@gone{opening}"
    return f"gone-{plain}{opening}" if is_fetching else f"{name}{opening}"


def _is_huge(plain: str, text: str, place: int) -> bool:
    if plain == "repeat":
        return not _REPEAT.match(text, place)
    if plain not in TRACKS or not _COLON.match(text, place):
        return False
    value = _TRACKS.match(text, place)
    return value is None or _LONG_NUMBER.search(value["value"]) is not None


def is_huge(name: str, value: str) -> bool:
    """Return whether a declaration creates a grid with thousands of tracks, or with an unknown number."""
    return _is_huge(_plain(name.strip()), f":{value}", 0)


def css_words(text: str) -> str:
    """Return the text without comments and strings, with escapes decoded."""
    return unescaped(_TOKEN.sub(lambda token: "" if token["name"] is None else token[0], text))


def _address(text: str, place: int) -> tuple[str, int]:
    """Return the address after ``url(``, without modifiers, and the position after the closing bracket."""
    quoted = _QUOTED.match(text, place)
    if quoted is None:
        plain = _UNQUOTED.match(text, place)
        return (unescaped(plain["text"]).strip(), plain.end()) if plain else ("", place)
    rest = _UNQUOTED.match(text, quoted.end())
    written = quoted["string"]
    inner = written[1:-1] if len(written) > 1 and written.endswith(written[0]) else written[1:]
    return unescaped(inner), rest.end() if rest else quoted.end()


def _url(address: str, resolve: Resolve) -> str:
    shown = resolve(address)
    return f'url("{_write(shown)}")' if shown is not None else NOTHING


def _write(address: str) -> str:
    return "".join(f"\\{ord(char):x} " if char in '"\\' or ord(char) < 32 else char for char in address)


def _plain(name: str) -> str:
    return unescaped(name).lower()


def unescaped(text: str) -> str:
    """Return the text with its CSS escapes decoded."""
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        number = int(escape[1], 16)
        is_valid = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
        return chr(number) if is_valid else "\ufffd"
    return escape[2] if escape[2] and escape[2] not in "\r\n\f" else ""
