"""Takes out of CSS whatever would fetch something: addresses that nobody vouches for, imports, image sets.

Read token by token as CSS Syntax Level 3 defines them, so that neither comments, strings nor escapes
(``\\75rl(``) hide an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Resolve = Callable[[str], str | None]
"""The address under which the lab shows what an address names, None for what it does not show."""

# rrweb reads styles with a parser that takes minutes for rules nested without end.
DEEPEST = 32
NOTHING = 'url("data:,")'
# rrweb cuts a style sheet at this comment into the texts that it was made of.
SPLIT = "/* rr_split */"
# Functions other than url() whose text may be an address; under another name the declaration counts for
# nothing.
FETCHING = frozenset(
    ("src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "expression")
)
FETCHING_RULES = frozenset(("import", "namespace", "document", "-moz-document"))
FETCHING_PROPERTIES = frozenset(("behavior", "-moz-binding"))

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\r\n\f0-9a-fA-F])"
_NAME = rf"(?:[-\w\x80-\U0010ffff]|{_ESCAPE})+"
_STRING = "|".join(rf"{mark}(?:[^{mark}\\\r\n\f]|\\(?:\r\n|[\s\S]))*{mark}?" for mark in "\"'")
# "<!--" is a token of CSS, and no beginning of a name: what follows may be an address.
_TOKEN = re.compile(
    rf"(?P<comment>/\*[\s\S]*?(?:\*/|\Z)|<!--)|(?P<string>{_STRING})|(?P<name>@?{_NAME})(?P<open>\()?"
)
_QUOTED = re.compile(rf"[ \t\r\n\f]*(?P<string>{_STRING})")
_UNQUOTED = re.compile(r"[ \t\r\n\f]*(?P<text>(?:[^)\\]|\\[\s\S]?)*)\)?")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\s\S])|\Z)")


def css_clean(text: str, resolve: Resolve) -> str:
    """The same CSS with addresses replaced by what ``resolve`` gives, or by an empty one.

    It ends where rules are nested deeper than ``DEEPEST``.
    """
    parts: list[str] = []
    place = depth = 0
    while found := _TOKEN.search(text, place):
        between = text[place : found.start()]
        depth += between.count("{")
        if depth > DEEPEST:
            return "".join(parts)
        depth = max(0, depth - between.count("}"))
        parts.append(between)
        place = found.end()
        if found["comment"] is not None:
            parts.append(SPLIT if found["comment"] == SPLIT else "/**/")
        elif found["string"] is not None:
            parts.append(found["string"])
        elif found["open"] and _plain(found["name"]) == "url":
            address, place = _address(text, place)
            parts.append(_url(address, resolve))
        else:
            parts.append(_word(found["name"], found["open"] or ""))
    rest = text[place:]
    return "".join(parts) + (rest if rest.count("{") <= DEEPEST else "")


def _word(name: str, opening: str) -> str:
    plain = _plain(name)
    is_fetching = plain in FETCHING if opening else plain in FETCHING_PROPERTIES
    if plain.startswith("@") and plain[1:] in FETCHING_RULES:
        return f"@gone{opening}"
    return f"gone-{plain}{opening}" if is_fetching else f"{name}{opening}"


def _address(text: str, place: int) -> tuple[str, int]:
    """The address after ``url(`` and where what follows it begins; modifiers are left out with it."""
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
    return "".join(f"\\{ord(one):x} " if one in '"\\' or ord(one) < 32 else one for one in address)


def _plain(name: str) -> str:
    return _unescaped(name).lower()


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        number = int(escape[1], 16)
        is_sound = 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF
        return chr(number) if is_sound else "\ufffd"
    return escape[2] if escape[2] and escape[2] not in "\r\n\f" else ""
