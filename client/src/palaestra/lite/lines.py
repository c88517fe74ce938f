"""Lines of an outline, and the parts of an element that make them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from palaestra.lite.document import Element

ITEM_CHARS = 300
_LEVEL = re.compile(r"heading \d ")
_WORDS = re.compile(r'(?:text: |(?=image "))(.*)', re.DOTALL)


class Line(NamedTuple):
    """One line, and the element that it stands for or is inside of."""

    depth: int
    text: str
    element: Element

    @property
    def written(self) -> str:
        return "  " * self.depth + self.text


def indented(lines: Iterable[Line]) -> list[Line]:
    return [Line(depth + 1, text, element) for depth, text, element in lines]


def preformatted(element: Element) -> list[Line]:
    return [Line(0, f"| {line}", element) for line in element.text.rstrip().split("\n")]


def is_modal(element: Element, role: str) -> bool:
    return role.endswith("dialog") and element.attrs.get("aria-modal") == "true"


def contents(role: str, name: str, lines: Sequence[Line]) -> Sequence[Line]:
    """The name of a figure stands for its pictures."""
    if role == "figure" and name:
        return [line for line in lines if not line.text.startswith('image "')]
    return without_title(joined(lines) if role == "article" else lines, name)


def without_title(lines: Sequence[Line], name: str) -> Sequence[Line]:
    """A heading or text that says only what the part is called is not repeated in it."""
    titles = (f"text: {name}", f'"{name}"')
    title = next(
        (
            place
            for place, line in enumerate(lines)
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


def joined(lines: Sequence[Line]) -> list[Line]:
    """Short words that stand together in an item are one line, an element before them included."""
    out: list[Line] = []
    is_open = False
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


def marker(parent: Element, item: Element, index: int) -> str:
    if parent.tag != "ol":
        return "-"
    number = int(item.attrs.get("value") or int(parent.attrs.get("start") or 1) + index)
    kind = parent.attrs.get("type", "")
    return (chr(ord(kind) + number - 1) if kind in ("a", "A") else str(number)) + "."


def terms(element: Element) -> list[Element]:
    parts = [
        one for child in element.elements for one in (child.elements if child.tag == "div" else (child,))
    ]
    return [one for one in parts if one.tag in ("dt", "dd")]


def rows(table: Element) -> list[Element]:
    """The rows of a table in the order of ``table.rows``: heads first, feet last."""
    if table.tag != "table":
        return [one for one in table.walk() if one.attrs.get("role") == "row"]
    parts: dict[str, list[Element]] = {"thead": [], "tbody": [], "tfoot": []}
    for child in table.elements:
        if child.tag in parts:
            parts[child.tag] += [one for one in child.elements if one.tag == "tr"]
        elif child.tag == "tr":
            parts["tbody"].append(child)
    return [*parts["thead"], *parts["tbody"], *parts["tfoot"]]


def cells(row: Element) -> list[Element]:
    if row.tag == "tr":
        return [one for one in row.elements if one.tag in ("td", "th")]
    return [one for one in row.walk() if one.attrs.get("role", "").endswith(("cell", "header"))]


def is_header(cell: Element) -> bool:
    return cell.tag == "th" or cell.attrs.get("role", "").endswith("header")
