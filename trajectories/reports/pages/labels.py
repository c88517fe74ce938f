"""What pages and charts call the arms and factors of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.reports.ladder import arm_read
from trajectories.shell.text.untrusted import visible


def arm_label(arm_id: str) -> str:
    """What readers call an arm; an id that is none stays as it is."""
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
