"""Pictures in a question: where they go, and references to them.

A payload's ``pictures`` are numbered from 1. ``<image k>`` in a text, which is MMMU's own notation, marks
where picture k goes. A picture without a mark in any text comes before the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

STORED = ("name", "sha256", "content_type", "width", "height")
PLACE = re.compile(r"<image (\d{1,2})>")
MARKDOWN = re.compile(r"!\[Figure \d{1,2}\]\(blob:([0-9a-f]{64})\)")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A payload's picture.

    Its alternative text is only its number, because anything more could give the answer.
    """

    number: int
    name: str
    sha256: str
    content_type: str
    width: int
    height: int

    @property
    def alternative(self) -> str:
        return f"Figure {self.number}"

    @property
    def markdown(self) -> str:
        return f"![{self.alternative}](blob:{self.sha256})"


def list_figures(payload: Mapping[str, Any]) -> list[Figure]:
    """Return a payload's pictures in order."""
    return [
        Figure(number=number, **{name: picture[name] for name in STORED})
        for number, picture in enumerate(payload.get("pictures", ()), start=1)
    ]


def figures_split(text: str, figures: Sequence[Figure]) -> Iterator[str | Figure]:
    """Yield texts and pictures in order. A mark whose picture is missing stays part of the text."""
    end = 0
    for place in PLACE.finditer(text):
        number = int(place[1])
        if not 1 <= number <= len(figures):
            continue
        if text[end : place.start()].strip():
            yield text[end : place.start()]
        yield figures[number - 1]
        end = place.end()
    if text[end:].strip():
        yield text[end:]


def unplaced(figures: Sequence[Figure], texts: Sequence[str]) -> list[Figure]:
    """Return the pictures that no text has a mark for."""
    placed = {int(number) for text in texts for number in PLACE.findall(text)}
    return [figure for figure in figures if figure.number not in placed]


def with_markdown(text: str, figures: Sequence[Figure]) -> str:
    """Replace every mark in the text with a Markdown picture."""
    return PLACE.sub(
        lambda place: figures[int(place[1]) - 1].markdown if 1 <= int(place[1]) <= len(figures) else place[0],
        text,
    )
