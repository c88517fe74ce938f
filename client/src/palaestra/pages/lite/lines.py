"""Lines of an outline, and helpers to write them from parts of elements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from palaestra.pages.lite.document import Element

ITEM_CHARS = 300
_LEVEL = re.compile(r"heading \d ")
_WORDS = re.compile(r'(?:text: |(?=image "))(.*)', re.DOTALL)


class Line(NamedTuple):
    """One line of an outline, and the element that it represents or is inside of."""

    depth: int
    text: str
    element: Element

    @property
    def written(self) -> str:
        return "  " * self.depth + self.text


def indent(lines: Iterable[Line]) -> list[Line]:
    """Return the lines one level deeper."""
    return [Line(depth + 1, text, element) for depth, text, element in lines]


def read_preformatted(element: Element) -> list[Line]:
    """Return the text of a ``pre`` element, line by line."""
    return [Line(0, f"| {line}", element) for line in element.text.rstrip().split("\n")]


def is_modal(element: Element, role: str) -> bool:
    return role.endswith("dialog") and element.attrs.get("aria-modal") == "true"


def trim_contents(role: str, name: str, lines: Sequence[Line]) -> Sequence[Line]:
    """Drop lines that repeat an element's name, such as its title or a figure's pictures."""
    if role == "figure" and name:
        return [line for line in lines if not line.text.startswith('image "')]
    return drop_title(join_words(lines) if role == "article" else lines, name)


def drop_title(lines: Sequence[Line], name: str) -> Sequence[Line]:
    """Drop the first heading or text that only repeats ``name``; lines nested in it move up one level."""
    titles = (f"text: {name}", f'"{name}"')
    title = next(
        (
            index
            for index, line in enumerate(lines)
            if name and line.depth == 0 and _LEVEL.sub("", line.text, count=1) in titles
        ),
        -1,
    )
    if title < 0:
        return lines
    end = title + 1
    while end < len(lines) and lines[end].depth > 0:
        end += 1
    inside = [Line(depth - 1, text, element) for depth, text, element in lines[title + 1 : end]]
    return [*lines[:title], *inside, *lines[end:]]


def join_words(lines: Sequence[Line]) -> list[Line]:
    """Join consecutive short texts in an item, and an element before them, into one line."""
    out: list[Line] = []
    is_open = False  # the last line may be continued
    for line in lines:
        words = _WORDS.match(line.text)
        is_short = is_open and words and line.depth == 0 and len(out[-1].text) + len(words[1]) <= ITEM_CHARS
        if is_short and words:
            out[-1] = Line(0, f"{out[-1].text} | {words[1]}", out[-1].element)
        else:
            out.append(line)
            is_first = len(out) == 1 and line.text.startswith("[e")
            is_open = line.depth == 0 and (words is not None or is_first)
    return out


def format_marker(parent: Element, item: Element, index: int) -> str:
    """Return the marker of a list item: ``-``, or the number or letter of an ordered list."""
    if parent.tag != "ol":
        return "-"
    number = int(item.attrs.get("value") or int(parent.attrs.get("start") or 1) + index)
    kind = parent.attrs.get("type", "")
    return (chr(ord(kind) + number - 1) if kind in ("a", "A") else str(number)) + "."


def find_terms(element: Element) -> list[Element]:
    """Return the ``dt`` and ``dd`` of a ``dl``, which may group them in ``div``."""
    parts = [
        part for child in element.elements for part in (child.elements if child.tag == "div" else (child,))
    ]
    return [part for part in parts if part.tag in ("dt", "dd")]


def find_rows(table: Element) -> list[Element]:
    """Return a table's rows in the order of the DOM's ``table.rows``: heads first, feet last."""
    if table.tag != "table":
        return [part for part in table.walk() if part.attrs.get("role") == "row"]
    parts: dict[str, list[Element]] = {"thead": [], "tbody": [], "tfoot": []}
    for child in table.elements:
        if child.tag in parts:
            parts[child.tag] += [row for row in child.elements if row.tag == "tr"]
        elif child.tag == "tr":
            parts["tbody"].append(child)
    return [*parts["thead"], *parts["tbody"], *parts["tfoot"]]


def find_cells(row: Element) -> list[Element]:
    """Return the cells of a row, including header cells."""
    if row.tag == "tr":
        return [cell for cell in row.elements if cell.tag in ("td", "th")]
    return [part for part in row.walk() if part.attrs.get("role", "").endswith(("cell", "header"))]


def is_header(cell: Element) -> bool:
    return cell.tag == "th" or cell.attrs.get("role", "").endswith("header")
