"""Reads TeX and tells it in plain characters, in one pass from left to right."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from trajectories.lab.text.formulas import grids, signs
from trajectories.lab.text.formulas.pieces import (
    LEFT,
    NAME,
    Piece,
    fraction,
    is_bracketed,
    joined,
    lined,
    marked,
    root,
    scripted,
)

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\\{}$&~^_]+|.", re.DOTALL)
# What a script or a fraction behind a run of plain characters belongs to.
LAST = re.compile(r"(\d+(?:\.\d+)*|\S)\s*\Z")
LAST_CHARS = 40
SPECIAL = re.compile(r"[\\{}$&~^_]")
BEFORE_CLOSING = re.compile(rf" (?=[{signs.CLOSING}])")
SPACE = re.compile(r"[\s~]*")
ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]*)\*?\}?")
OPTION = re.compile(r"\s*\[([^][{}]*)\]")
LINE_HEIGHT = re.compile(r"\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\]")
STAR = re.compile(r"\s*\*")
ROMAN = re.compile(r"\s*\\rm(?![A-Za-z])")
NO_DELIMITER = re.compile(r"\s*\.")
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
# A part that is nested deeper keeps its TeX: every level takes some of Python's stack.
DEPTH_MOST = 12
NOTHING: frozenset[str] = frozenset()
GROUP_END = frozenset("}")
CELL_ENDS = frozenset(["&", r"\\", r"\cr", r"\end"])
UNTOLD = frozenset(["}", "$", r"\!", r"\(", r"\)", r"\[", r"\]", r"\-", r"\/"])
MIXED = re.compile(r"\d+/\d+")

Pieces = list[Piece]
OfTwo = Callable[[str, str], Piece]
# What stands before ``\choose``, and what that makes of it and the rest.
Above = tuple[OfTwo, str]


def _binomial(above: str, below: str) -> Piece:
    return Piece(f"C({above.strip()}, {below.strip()})")


def _set_over(above: str, of: str) -> Piece:
    return marked(of, "arc") if above == "⌢" else scripted(Piece(of), index="", power=above)


INFIXES: dict[str, OfTwo] = {r"\choose": _binomial, r"\over": fraction}
OF_TWO: dict[str, OfTwo] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), fraction),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _binomial),
    **dict.fromkeys(("overset", "stackrel"), _set_over),
    "underset": lambda below, of: scripted(Piece(of), index=below, power=""),
}
OF_ONE: dict[str, Callable[[str], Piece]] = {
    "pmod": lambda text: Piece(f" (mod {text.strip()})"),
    "pod": lambda text: Piece(f" ({text.strip()})"),
    "tag": lambda text: Piece(f" ({text.strip()})"),
    "operatorname": lambda text: Piece(text, "function"),
    "not": lambda text: Piece(signs.NEGATED.get(text.strip(), f"¬{text}"), "between"),
}


# Lists repeat tasks, and tasks their formulas.
@lru_cache(maxsize=2048)
def plain_of(tex: str) -> str:
    """A formula without its marks in plain characters, in one line."""
    told = joined(Reader(tex).row(NOTHING, 0)) if SPECIAL.search(tex) else tex
    return BEFORE_CLOSING.sub("", " ".join(told.split()))


class Reader:
    """A place in a formula. Whatever the formula is, reading ends and raises nothing."""

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.place = 0

    def row(self, ends: frozenset[str], depth: int) -> Pieces:
        """The pieces up to one of ``ends``, which is left where it is."""
        pieces: Pieces = []
        above: Above | None = None
        while (mark := self._peek()) and mark not in ends:
            self.place += len(mark)
            if mark[0] not in "\\{}$&~^_":
                pieces += _run(mark)
            elif mark in "^_":
                pieces.append(self._scripted(_base(pieces), mark, depth))
            elif mark in INFIXES:
                above, pieces = (INFIXES[mark], joined(_combined(above, pieces))), []
            else:
                _add(pieces, self._pieces(mark, depth))
        return _combined(above, pieces)

    def _peek(self) -> str:
        found = TOKEN.match(self.tex, self.place)
        return found.group() if found else ""

    def _after_space(self) -> str:
        found = SPACE.match(self.tex, self.place)
        end = found.end() if found else self.place
        return self.tex[end : end + 1]

    def _skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        if found := pattern.match(self.tex, self.place):
            self.place = found.end()
        return found

    def _pieces(self, mark: str, depth: int) -> Pieces:
        """What a mark says, together with its arguments."""
        if mark in UNTOLD:
            return []
        if mark[0] == "\\":
            return self._command(mark[1:], depth)
        if mark == "{":
            return self._group(depth, is_words=bool(ROMAN.match(self.tex, self.place)))
        return [Piece(" ", "space")] if mark in "&~" else _run(mark)

    def _command(self, name: str, depth: int) -> Pieces:
        if not name[:1].isalpha():
            return self._escaped(name)
        if name in signs.BETWEEN:
            return [Piece(signs.BETWEEN[name], "between")]
        if name in signs.SIGNS:
            if name in signs.OPENING:
                self._skip(SPACE)
            return [Piece(signs.SIGNS[name])]
        if name in signs.FUNCTIONS:
            return [Piece(name, "function")]
        if name in signs.WIDE_SPACES:
            return [Piece(" ", "space")]
        if name in signs.UNSAID:
            if name in ("left", "right", "middle"):
                self._skip(NO_DELIMITER)
            return []
        return self._with_arguments(name, depth)

    def _escaped(self, mark: str) -> Pieces:
        if mark == "\\":
            self._skip(LINE_HEIGHT)
        if mark == "\\" or mark in signs.SPACES or mark.isspace():
            return [Piece(" ", "space")]
        return [Piece("‖" if mark == "|" else mark if mark in "{}%$&#_" else f"\\{mark}")]

    def _with_arguments(self, name: str, depth: int) -> Pieces:
        if name in OF_TWO:
            return [OF_TWO[name](self._argument(depth), self._argument(depth))]
        if name in OF_ONE:
            self._skip(STAR)
            return [OF_ONE[name](self._argument(depth))]
        if name == "sqrt":
            index = self._skip(OPTION)
            return [root(self._argument(depth), index=index[1].strip() if index else "")]
        if name in signs.LINED:
            return [lined(self._argument(depth), name)]
        if name in signs.ACCENTS:
            return [marked(self._argument(depth), name)]
        if name == "begin":
            return self._environment(depth)
        if name in signs.SAID or name in signs.UNSAID_WITH:
            for _ in range(signs.SAID.get(name, 0) or signs.UNSAID_WITH.get(name, 0)):
                self._argument(depth)
            is_words = name in signs.WORDS
            return self._said(depth, is_words=is_words) if name in signs.SAID else [Piece(" ", "space")]
        return self._unknown(name, depth)

    def _unknown(self, name: str, depth: int) -> Pieces:
        parts = []
        while self._peek() == "{":
            parts.append(f"{{{self._argument(depth)}}}")
        return [Piece(f"\\{name}{''.join(parts)}", "plain" if parts else "command")]

    def _said(self, depth: int, *, is_words: bool) -> Pieces:
        if self._after_space() != "{":
            return [Piece(self._argument(depth))]
        self._skip(SPACE)
        self.place += 1
        return self._group(depth, is_words=is_words)

    def _argument(self, depth: int) -> str:
        """A group, a command with its own arguments or one character; empty where the formula ends."""
        self._skip(SPACE)
        mark = self._peek()
        if mark in ("", "}", "&", r"\end"):
            return ""
        if mark[0] not in "\\{":
            self.place += 1
            return mark[0]
        self.place += len(mark)
        if depth >= DEPTH_MOST and mark[0] == "\\":
            return mark
        return joined(self._pieces(mark, depth + 1))

    def _group(self, depth: int, *, is_words: bool) -> Pieces:
        """``is_words``: what is raised behind it belongs to its last character: ``m/s²``."""
        if depth >= DEPTH_MOST:
            return [Piece(self._raw_group())]
        pieces = self.row(GROUP_END, depth + 1)
        self.place += 1
        if len(pieces) > 1 and not is_words and self._after_space() in ("^", "_"):
            text = joined(pieces).strip()
            return [Piece(text if NAME.fullmatch(text) or is_bracketed(text) else f"({text})")]
        return pieces

    def _raw_group(self) -> str:
        """The TeX up to the brace that closes this group, or all that is left."""
        start, open_braces = self.place, 1
        for found in BRACES.finditer(self.tex, start):
            open_braces += (found.group() == "{") - (found.group() == "}")
            if open_braces == 0:
                self.place = found.end()
                return self.tex[start : found.start()]
        self.place = len(self.tex)
        return self.tex[start:]

    def _scripted(self, base: Piece | None, mark: str, depth: int) -> Piece:
        """A base with all that stands lower and higher behind it, however spaced."""
        told = {"_": "", "^": ""}
        while True:
            told[mark] += self._argument(depth)
            mark = self._after_space()
            if mark not in ("^", "_"):
                return scripted(base, index=told["_"], power=told["^"])
            self._skip(SPACE)
            self.place += 1

    def _environment(self, depth: int) -> Pieces:
        found = self._skip(ENVIRONMENT)
        name = found[1] if found else ""
        if name in signs.PICTURES or name in signs.TABLES or depth >= DEPTH_MOST:
            self._skip_environment(name)
            return [Piece("[figure]" if name in signs.PICTURES else "[table]")]
        if name in signs.WITH_COLUMNS:
            self._skip(OPTION)
            if self._after_space() == "{":
                self._skip(SPACE)
                self.place += 1
                self._raw_group()
        return [grids.told(name, self.rows(depth + 1))]

    def _skip_environment(self, name: str) -> None:
        end = self.tex.find(rf"\end{{{name}", self.place)
        self.place = len(self.tex) if end < 0 else end + len(r"\end")
        self._skip(ENVIRONMENT)

    def rows(self, depth: int) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(joined(self.row(CELL_ENDS, depth)).strip())
            end = self._peek()
            self.place += len(end)
            if end in ("", r"\end"):
                self._skip(ENVIRONMENT)
                return rows
            if end != "&":
                self._skip(LINE_HEIGHT)
                rows.append([])


def _run(text: str) -> Pieces:
    """Plain characters, and the last number or character of theirs apart."""
    found = LAST.search(text, max(0, len(text.rstrip()) - LAST_CHARS))
    if found is None:  # nothing but space there
        return [Piece(text if text.strip() else " ", "space")]
    first, last, behind = text[: found.start()], found[1], text[found.end(1) :]
    pieces = [Piece(first)] if first else []
    pieces.append(Piece(last))
    return [*pieces, Piece(" ", "space")] if behind else pieces


def _combined(above: Above | None, pieces: Pieces) -> Pieces:
    return [above[0](above[1], joined(pieces))] if above else pieces


def _base(pieces: Pieces) -> Piece | None:
    """Takes what a script stands behind from the end of a row."""
    while pieces and pieces[-1].kind == "space":
        pieces.pop()
    return pieces.pop() if pieces else None


def _add(pieces: Pieces, new: Pieces) -> None:
    """A whole number and the fraction of numbers behind it are one."""
    if len(new) != 1 or new[0].kind != "fraction" or not MIXED.fullmatch(new[0].text):
        pieces += new
        return
    place = len(pieces) - 1
    while place >= 0 and pieces[place].kind == "space":
        place -= 1
    if place < 0 or not pieces[place].text.isdecimal() or (place and LEFT.search(pieces[place - 1].text)):
        pieces += new
        return
    pieces[place:] = [Piece(f"{pieces[place].text} {new[0].text}", "fraction")]
