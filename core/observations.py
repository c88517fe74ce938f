"""Observation formats: what a model is shown of a page. The client has the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from core.tables import table_load


@dataclass(frozen=True)
class ObservationFormat:
    """``id`` ends in a version, because a change of the format may change a score.

    ``has_text``: the page's outline is shown; ``has_ids``: elements can be named by their ids, else by
    positions alone; ``has_marks``: the ids stand on the picture, beside a list of its interactive elements.
    """

    id: str
    label: str
    description: str
    _: KW_ONLY
    has_text: bool = False
    has_screenshot: bool = False
    has_ids: bool = False
    has_marks: bool = False


SCOPES = ("page", "viewport")
"""What an outline shows, the default first."""
OBSERVATION_FORMATS: Mapping[str, ObservationFormat] = {
    record.id: record
    for record in table_load(Path(__file__).with_name("observations.toml"), ObservationFormat)
}
MARKED_FORMATS = [form.id for form in OBSERVATION_FORMATS.values() if form.has_marks]
"""Formats whose screenshots show more than the page."""
