"""Observation formats, which determine what a model is shown of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, get_args

Scope = Literal["page", "viewport"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""The parts of the page that an outline may show, the default first."""


@dataclass(frozen=True)
class ObservationFormat:
    """An observation format. Its ``id`` ends with a version, because changes to the format may change scores.

    ``has_text``: the page's outline is shown. ``has_ids``: elements can be named by their ids, otherwise only
    by positions. ``has_marks``: the ids are drawn on the picture, and a list of its interactive elements
    comes with it.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_text: bool = False
    has_screenshot: bool = False
    has_ids: bool = False
    has_marks: bool = False


_FORMATS = (
    ObservationFormat(
        "axtree-v2",
        "Outline",
        "The page as lines of text, from its accessibility tree.",
        has_text=True,
        has_ids=True,
    ),
    ObservationFormat(
        "screenshot-v2",
        "Screenshot",
        "A picture of the page; actions name positions on it.",
        has_screenshot=True,
    ),
    ObservationFormat(
        "som-v1",
        "Marked screenshot",
        "A picture of the page with numbered marks on its controls, and a list of these.",
        has_screenshot=True,
        has_ids=True,
        has_marks=True,
    ),
    ObservationFormat(
        "both-v2",
        "Outline and screenshot",
        "The outline of the page and a picture of it.",
        has_text=True,
        has_screenshot=True,
        has_ids=True,
    ),
)
OBSERVATION_FORMATS: Mapping[str, ObservationFormat] = {form.id: form for form in _FORMATS}
MARKED_FORMATS = [form.id for form in _FORMATS if form.has_marks]
"""Formats whose screenshots show more than the page itself."""


def has_outline(kind: str) -> bool:
    """Return whether a model reads the outline of an observation of this format."""
    return kind in OBSERVATION_FORMATS and OBSERVATION_FORMATS[kind].has_text


def has_picture(kind: str) -> bool:
    """Return whether a model is shown the screenshot of an observation of this format."""
    return kind in OBSERVATION_FORMATS and OBSERVATION_FORMATS[kind].has_screenshot


def settings_of(settings: Mapping[str, Any], form: ObservationFormat) -> dict[str, Any]:
    """Return those observation settings that have an effect in a format."""
    return {
        name: value
        for name, value in settings.items()
        if (form.has_screenshot if name == "picture_max" else form.has_text)
    }
