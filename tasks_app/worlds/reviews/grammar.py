"""Sentence patterns: text with groups of alternatives, such as ``The [bag|thing] [@verdict] {x}.``

``[a|b]`` stands for one of the options. ``[@name]`` stands for one option from a named list; the list's
options may contain groups, and a group's option may be ``@name`` as well. The caller fills in ``{slot}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.draws import Draws

Lists: TypeAlias = Mapping[str, Sequence[str]]

_GROUP = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"(?<!\[)@\w+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal texts and groups in turn. An option is a text or another pattern."""

    parts: tuple[str | tuple[str | Pattern, ...], ...]
    topics: frozenset[str] = frozenset()
    """The pattern's topics. A review mentions each topic only once, so it cannot contradict itself."""

    @property
    def variants(self) -> int:
        """Number of texts that the pattern can produce, ignoring slots."""
        variants = 1
        for part in self.parts:
            if not isinstance(part, str):
                variants *= sum(1 if isinstance(option, str) else option.variants for option in part)
        return variants


def pattern(source: str, *, lists: Lists) -> Pattern:
    """Parse a pattern's source. Raises ``KeyError`` for an unknown list."""
    pieces = _GROUP.split(source)
    parts: list[str | tuple[str | Pattern, ...]] = []
    for index, piece in enumerate(pieces):
        if index % 2:
            parts.append(tuple(_option(each, lists=lists) for each in _options(piece, lists=lists)))
        elif piece:
            parts.append(piece)
    return Pattern(tuple(parts))


def _options(group: str, *, lists: Lists) -> list[str]:
    options: list[str] = []
    for option in group.split("|"):
        options += lists[option[1:]] if _NAME.fullmatch(option) else [option]
    return options


def _option(source: str, *, lists: Lists) -> str | Pattern:
    source = _NAME.sub(r"[\g<0>]", source)
    return pattern(source, lists=lists) if "[" in source else source


def pattern_write(of: Pattern, *, draws: Draws, slots: Mapping[str, str]) -> str:
    """Write one sentence from the pattern, beginning with a capital letter."""
    pieces: list[str] = []
    _write(of, draws, pieces)
    text = "".join(pieces)
    if "{" in text:
        text = text.format_map(slots)
    return text[:1].upper() + text[1:]


def _write(of: Pattern, draws: Draws, into: list[str]) -> None:
    share = draws.share
    for part in of.parts:
        if isinstance(part, str):
            into.append(part)
            continue
        option = part[int(share() * len(part))]
        if isinstance(option, str):
            into.append(option)
        else:
            _write(option, draws, into)
