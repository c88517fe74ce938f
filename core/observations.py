"""Observation formats: what a model is shown of a page. To add one, add a record here and in the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ObservationFormat:
    """``id`` ends in a version where a change of the format may change a score."""

    id: str
    label: str
    description: str
    has_text: bool = False
    has_screenshot: bool = False


OBSERVATION_FORMATS: Mapping[str, ObservationFormat] = {
    observation.id: observation
    for observation in (
        ObservationFormat(
            id="axtree-v1",
            label="Outline",
            description="The page as lines of text, from its accessibility tree.",
            has_text=True,
        ),
        ObservationFormat(
            id="screenshot", label="Screenshot", description="A picture of the page.", has_screenshot=True
        ),
        ObservationFormat(
            id="both",
            label="Outline and screenshot",
            description="The outline of the page and a picture of it.",
            has_text=True,
            has_screenshot=True,
        ),
    )
}
