"""Labels of a report's arms and factors on pages and charts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.reports.ladder import arm_read
from trajectories.shell.text.untrusted import visible


def arm_label(arm_id: str) -> str:
    """Return the label of an arm; an unknown id is returned unchanged."""
    try:
        return arm_read(arm_id).label
    except ValueError:
        return arm_id


def label_of(row: Mapping[str, Any], column: str) -> str:
    """The text of a row's column: of a contrast both arms, the first less the second, or its only one."""
    value = visible(row[column])
    if column in ("arm", "contrast"):
        return " − ".join(map(arm_label, value.split(" − ")))
    return value.replace("_", " ") if column == "factor" else value
