"""Observation formats: what a model is shown of a page. To add one, add a record here and in the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class ObservationFormat:
    """``id`` ends in a version where a change of the format may change a score."""

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_text: bool = False
    has_screenshot: bool = False


OBSERVATION_FORMATS: Mapping[str, ObservationFormat] = {
    observation.id: observation
    for observation in (
        ObservationFormat(
            "axtree-v1", "Outline", "The page as lines of text, from its accessibility tree.", has_text=True
        ),
        ObservationFormat("screenshot", "Screenshot", "A picture of the page.", has_screenshot=True),
        ObservationFormat(
            "both",
            "Outline and screenshot",
            "The outline of the page and a picture of it.",
            has_text=True,
            has_screenshot=True,
        ),
    )
}
