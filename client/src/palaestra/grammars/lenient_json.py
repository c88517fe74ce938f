"""A parser for JSON as language models write it, which never guesses what a string means.

Beyond strict JSON it accepts single quotes, bare words, Python's literals, trailing commas, line breaks
within strings and unescaped quotation marks. Models also write TeX without doubling its backslashes, and a
strict parser would silently turn ``\\frac`` into a form feed and ``rac``. Therefore, within strings:

- a backslash that does not begin a JSON escape is kept, and so are ``\\b`` and ``\\f``, because nobody types
  those control characters;
- ``\\n``, ``\\r`` and ``\\t`` are kept if they begin a TeX command, and are white space otherwise;
- ``\\\\`` is kept in a string whose other backslashes are single, because there it ends a row of a matrix;
- ambiguous escapes and control characters are refused with a sentence that says what to write.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NoReturn

NESTING_MAX = 32  # no action is nested more deeply
QUOTES = {'"': '"', "'": "'", "“": "”"}
LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?=[\s,}\])]|$)")
_WORD = re.compile(r"[^\W\d][\w-]*")
# A quotation mark ends a string only if one of these follows.
_AFTER_STRING = re.compile(r"\s*(?:[,:}\])]|$)")
_CODE_POINT = re.compile("u[0-9a-fA-F]{4}")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[A-Za-z]+|.|$)", re.DOTALL)
# An escaped backslash before a word: "\\\\frac". Pairs are counted from the first of consecutive backslashes.
_DOUBLED = re.compile(r"(?<!\\)(?:\\\\)+[A-Za-z]{2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_CARRIAGE_RETURN = re.compile(r"\r(?=\s|$)\n?")
_PLAIN = ('"', "'", "/", "”")
_ASSIGNED = re.compile(r"\s*=(?!=)")
# TeX commands that begin like a JSON escape. ``\b`` and ``\f`` need no list because they are always kept.
_TEX = {
    "n": "nabla natural ncong ne nearrow neg neq nexists ngeq ngtr nleftarrow nleq nolimits not notin "
    "nparallel nprec nrightarrow nsubseteq nsucc nsupseteq nu nwarrow",
    "r": "rVert raise rangle ratio rbrace rbrack rceil rfloor rgroup rho right rightarrow rightharpoonup "
    "rightleftharpoons rightsquigarrow rm rtimes rvert",
    "t": "tan tanh tau tbinom text textbf textit textrm texttt textstyle tfrac therefore theta thinspace "
    "tilde times tiny to top triangle triangledown triangleleft triangleq triangleright tt twoheadrightarrow",
}
COMMANDS = frozenset(" ".join(_TEX.values()).split())
# What follows the first letter may be a name by itself: "m = 1\ne = 2" may be a line break before ``e``.
_TWOFOLD = frozenset({"ne", "nu", "tan", "to", "top", "tt"})
_SPACES = {"n": "\n", "r": "\r", "t": "\t"}


class Unreadable(ValueError):
    """The text cannot be parsed unambiguously; the message tells the writer what to write instead."""


def value_read(text: str, start: int = 0, *, depth: int = 0) -> tuple[Any, int]:
    """Return the value that begins at ``start`` (after white space), and where it ends.

    A number is returned as text if Python would print it differently. Raises ``Unreadable``.
    """
    at = space_skip(text, start)
    if depth > NESTING_MAX:
        raise Unreadable(f"The action is nested more than {NESTING_MAX} levels deep.")
    mark = text[at : at + 1]
    if mark == "{":
        return _object(text, at + 1, depth)
    if mark == "[":
        return _array(text, at + 1, depth)
    if mark in QUOTES:
        return _string(text, at)
    if number := _NUMBER.match(text, at):
        return _number(number[0]), number.end()
    if word := _WORD.match(text, at):
        return LITERALS.get(word[0], word[0]), word.end()
    _fail(text, at, "a value")


def space_skip(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    members: dict[str, Any] = {}
    while True:
        at = space_skip(text, at)
        if text[at : at + 1] == "}":
            return members, at + 1
        if text[at : at + 1] in QUOTES:
            key, at = _string(text, at)
        elif word := _WORD.match(text, at):
            key, at = word[0], word.end()
        else:
            _fail(text, at, 'a key or "}"')
        if key in members:
            raise Unreadable(f'The key "{key[:40]}" appears twice in the action.')
        at = space_skip(text, at)
        if text[at : at + 1] != ":":
            _fail(text, at, 'a ":"')
        members[key], at = value_read(text, at + 1, depth=depth + 1)
        at = _comma(text, at, "}")


def _array(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        at = space_skip(text, at)
        if text[at : at + 1] == "]":
            return items, at + 1
        item, at = value_read(text, at, depth=depth + 1)
        items.append(item)
        at = _comma(text, at, "]")


def _comma(text: str, at: int, end: str) -> int:
    """Return the position after the comma that follows a member, or of the closing bracket ``end``."""
    at = space_skip(text, at)
    if text[at : at + 1] == ",":
        return at + 1
    if text[at : at + 1] != end:
        _fail(text, at, f'a "," or "{end}"')
    return at


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            number = kind(text)
        except (ValueError, OverflowError):
            continue
        if str(number) == text:
            return number
    return text


def _fail(text: str, at: int, expected: str) -> NoReturn:
    if at >= len(text):
        raise Unreadable(f"The action breaks off: {expected} is missing at its end.")
    raise Unreadable(f"The action cannot be read at {text[at : at + 20]!r}: {expected} is expected there.")


# ---- strings
def _string(text: str, at: int) -> tuple[str, int]:
    closing = QUOTES[text[at]]
    begin = end = at + 1
    while True:
        end = text.find(closing, end)
        if end < 0:
            raise Unreadable(f"The action breaks off within a string: a {closing} is missing.")
        if not _is_escaped(text, begin, end) and _AFTER_STRING.match(text, end + 1):
            is_key = text.startswith(":", space_skip(text, end + 1))
            if not is_key and _joined(closing).fullmatch(text, begin, end):
                raise Unreadable(rf"A text is one string: write \{closing} for a quotation mark within it.")
            return string_decode(text[begin:end]), end + 1
        end += 1


@cache
def _joined(mark: str) -> re.Pattern[str]:
    """Return a pattern for the text between the outer quotation marks of ``"a" + "b"`` or ``"a" "b"``."""
    inside = rf"(?:[^\\{mark}]|\\.)*"
    return re.compile(rf"{inside}(?:{mark}\s*\+?\s*{mark}{inside})+", re.DOTALL)


def _is_escaped(text: str, begin: int, at: int) -> bool:
    """Return whether an odd number of backslashes precedes a character of a string."""
    first = at
    while first > begin and text[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def string_decode(body: str) -> str:
    """Decode a string from the characters between its quotation marks. Raises ``Unreadable``."""
    if "\\" in body:
        body = _Escapes(body).decode()
    control = _CONTROL.search(body)
    if control:
        raise Unreadable(
            f"The text contains a control character (U+{ord(control[0]):04X}). In JSON write every backslash "
            r'twice: "\\frac{1}{2}", "\\right".'
        )
    return body


class _Escapes:
    """The escapes of one string, in which the writer doubled backslashes either everywhere or nowhere.

    ``is_doubled``: a backslash before a word is written twice. ``is_single``: no backslash is doubled, and at
    least one of them can only begin a TeX command. ``is_long``: the string has line breaks, as programs do.
    """

    def __init__(self, body: str) -> None:
        self.body = body
        words = [match[1] for match in _ESCAPE.finditer(body)]
        self.is_long = "\n" in body or any(word[:1] == "n" and word not in COMMANDS for word in words)
        self.is_doubled = _DOUBLED.search(body) is not None
        self.is_single = not self.is_doubled and any(map(self._is_evident, words))

    def decode(self) -> str:
        text = _ESCAPE.sub(self._meaning, self.body)
        text = _CARRIAGE_RETURN.sub("\n", text)
        # A character outside the BMP was written as two escapes, a surrogate pair; this joins them.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _is_evident(self, word: str) -> bool:
        """Return whether a backslash before ``word`` can only begin a TeX command."""
        if not word.isalpha() or len(word) == 1 or _CODE_POINT.fullmatch(word):
            return False
        return word[0] not in _SPACES or (not self.is_long and word in COMMANDS - _TWOFOLD)

    def _meaning(self, match: re.Match[str]) -> str:
        word = match[1]
        if word == "\\":
            return match[0] if self.is_single else word
        if word in _PLAIN:
            return word
        if _CODE_POINT.fullmatch(word):
            return chr(int(word[1:], 16))
        if word[:1] in _SPACES and not self._is_command(match):
            return _SPACES[word[0]] + word[1:]
        return match[0]

    def _is_command(self, match: re.Match[str]) -> bool:
        """Return whether an escape that JSON reads as white space begins a TeX command."""
        word = match[1]
        if word not in COMMANDS:
            return self.is_single and word[0] == "r" and len(word) > 1
        if self.is_single:
            return True
        if word not in _TWOFOLD:
            # In a program, "\neq = 1" is a line break and an assignment to ``eq``.
            return not (self.is_long and _ASSIGNED.match(self.body, match.end()))
        if self.is_long or self.is_doubled:
            return False
        if word[0] == "t":
            return True
        raise Unreadable(
            rf'"\{word}" may be a line break or the TeX command: write "\\{word}" for the command, or '
            rf'"\n {word[1:]}" for the line break.'
        )
