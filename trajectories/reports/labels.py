"""Rows of stored tables for readers: labels of arms and factors, intervals of values, links to episodes."""

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
    """Return the text of a row's column: both arms of a contrast, first less second, or its only one."""
    value = visible(row[column])
    if column in ("arm", "contrast"):
        return " − ".join(map(arm_label, value.split(" − ")))
    return value.replace("_", " ") if column == "factor" else value


def interval_of(row: Mapping[str, Any], column: str) -> tuple[float | None, float | None]:
    """Return the ends of a value's interval: those named after its column, or else the row's only ones."""
    prefix = f"{column}_" if f"{column}_low" in row else ""
    return row.get(f"{prefix}low"), row.get(f"{prefix}high")


def link_of(row: Mapping[str, Any], column: str) -> str:
    """Return the address of a value's episodes, or of its row's; empty if there are none to open."""
    links: Mapping[str, str] = row.get("links", {})
    # Zero percent void opens the version's episodes, not an empty list of void ones.
    own = links.get(column) if row.get(column) else ""
    return own or links.get("episodes") or links.get("items") or links.get(column, "")
