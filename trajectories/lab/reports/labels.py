"""What pages and charts call the arms of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.reports.ladder import arm_read


def arm_label(arm_id: str) -> str:
    """What readers call an arm; an id that is none stays as it is."""
    try:
        return arm_read(arm_id).label
    except ValueError:
        return arm_id


def contrast_label(row: Mapping[str, Any]) -> str:
    """Of a row about two arms, the first less the second, or about one."""
    return " − ".join(arm_label(arm_id) for arm_id in row["contrast"].split(" − "))
