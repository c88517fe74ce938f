"""The text that an outline shows of a question, for checking pages against their source.

A formula stands between dollars, whatever delimiters its source uses; everything else is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from core import latex
from core.errors import GymError
from tasks_app.figures import PLACE, figures_of, unplaced
from tasks_app.prose import texts_of

ESCAPED = re.compile(r"\\(?:([$%&#_{}])|.)", re.DOTALL)
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


def text_of(text: str, *, text_format: str) -> str:
    """Raises ``GymError`` ``text_lost`` when splitting into words and formulas lost some of the text."""
    if text_format != "latex":
        return text
    segments = list(latex.segments_split(text))
    if "".join(segment.raw for segment in segments) != text:
        raise GymError("text_lost", "Splitting the text into words and formulas lost some of it.")
    return "".join(_segment_text(segment) for segment in segments)


def _segment_text(segment: latex.Segment) -> str:
    if segment.is_formula:
        return f"${_formula_body(segment.raw)}$"
    if segment.kind == "source":
        return segment.raw
    return ESCAPED.sub(lambda match: match[1] or match[0], segment.raw)


def _formula_body(raw: str) -> str:
    """A formula without its delimiters; an environment stays whole."""
    for opener, closer in DELIMITERS:
        if raw.startswith(opener) and raw.endswith(closer):
            return raw[len(opener) : -len(closer)]
    return raw


def question_text(payload: Mapping[str, Any]) -> str:
    """Passage, pictures without a place, text and choices as a page shows them; pictures by number."""
    first = [figure.alternative for figure in unplaced(figures_of(payload), texts_of(payload))]
    passage, *rest = _parts(payload, figure_text="Figure {}")
    return "\n".join([passage, *first, *rest])


def transcript(payload: Mapping[str, Any]) -> str:
    """As ``question_text``, without the pictures, whose numbers nobody sees on the screen."""
    return "\n".join(part for part in _parts(payload, figure_text="") if part)


def _parts(payload: Mapping[str, Any], *, figure_text: str) -> list[str]:
    """Passage, text and choices; ``figure_text`` takes the place of a picture."""
    text_format = str(payload.get("format"))
    place_text = _place_text(len(figures_of(payload)), figure_text)
    passage, text, *choices = (
        PLACE.sub(place_text, text_of(part, text_format=text_format)) for part in texts_of(payload)
    )
    labels = [f"{choice['label']}." for choice in payload.get("choices", ())]
    lettered = [f"{label} {choice}" for label, choice in zip(labels, choices, strict=True)]
    return [passage, text, *lettered]


def _place_text(count: int, figure_text: str) -> Callable[[re.Match[str]], str]:
    def replacement(place: re.Match[str]) -> str:
        return figure_text.format(int(place[1])) if 1 <= int(place[1]) <= count else place[0]

    return replacement
