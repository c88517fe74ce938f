"""Question texts as an outline shows them, used to check pages against their source.

Formulas are written between dollars, whatever delimiters their source uses; everything else is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from core.errors import GymError
from core.text import latex
from tasks_app.figures import PLACE, list_figures, unplaced
from tasks_app.prose import list_texts

ESCAPED = re.compile(r"\\(?:([$%&#_{}])|.)", re.DOTALL)
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


def render_text(text: str, *, text_format: str) -> str:
    """Return a text as an outline shows it. Raises ``GymError`` ``text_lost`` if splitting it loses any."""
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
    """Strip a formula of its delimiters; an environment keeps its begin and end."""
    for opener, closer in DELIMITERS:
        if raw.startswith(opener) and raw.endswith(closer):
            return raw[len(opener) : -len(closer)]
    return raw


def question_text(payload: Mapping[str, Any]) -> str:
    """Join passage, pictures, text and choices as a page shows them; a picture is "Figure" and a number.

    Pictures that no text refers to follow the passage.
    """
    first = [figure.alternative for figure in unplaced(list_figures(payload), list_texts(payload))]
    passage, *rest = _parts(payload, figure_text="Figure {}")
    return "\n".join([passage, *first, *rest])


def transcript(payload: Mapping[str, Any]) -> str:
    """Return the question's text without figure numbers, which are not visible on the screen."""
    return "\n".join(part for part in _parts(payload, figure_text="") if part)


def _parts(payload: Mapping[str, Any], *, figure_text: str) -> list[str]:
    """List passage, text and choices, with ``figure_text`` in place of each picture."""
    text_format = str(payload.get("format"))
    place_text = _place_text(len(list_figures(payload)), figure_text)
    passage, text, *choices = (
        PLACE.sub(place_text, render_text(part, text_format=text_format)) for part in list_texts(payload)
    )
    labels = [f"{choice['label']}." for choice in payload.get("choices", ())]
    lettered = [f"{label} {choice}" for label, choice in zip(labels, choices, strict=True)]
    return [passage, text, *lettered]


def _place_text(count: int, figure_text: str) -> Callable[[re.Match[str]], str]:
    def replacement(place: re.Match[str]) -> str:
        return figure_text.format(int(place[1])) if 1 <= int(place[1]) <= count else place[0]

    return replacement
