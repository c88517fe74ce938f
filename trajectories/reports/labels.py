"""Helpers that read stored tables: labels of arms and factors, intervals of values, and links to episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.reports.ladder import arm_read
from trajectories.shell.text.untrusted import visible


def arm_label(arm_id: str) -> str:
    """Return the label of an arm, or the id itself if it is unknown."""
    try:
        return arm_read(arm_id).label
    except ValueError:
        return arm_id


def label_of(row: Mapping[str, Any], column: str) -> str:
    """Return the text of a cell for readers, with arm ids replaced by labels, also in contrasts (A − B)."""
    value = visible(row[column])
    if column in ("arm", "contrast"):
        return " − ".join(map(arm_label, value.split(" − ")))
    return value.replace("_", " ") if column == "factor" else value


def interval_of(row: Mapping[str, Any], column: str) -> tuple[float | None, float | None]:
    """Return the ends of a value's interval.

    They are in the columns named after the value's own, or else in ``low`` and ``high``.
    """
    prefix = f"{column}_" if f"{column}_low" in row else ""
    return row.get(f"{prefix}low"), row.get(f"{prefix}high")


def link_of(row: Mapping[str, Any], column: str) -> str:
    """Return the address of the episodes behind a value or its row; empty if there are none to open."""
    links: Mapping[str, str] = row.get("links", {})
    # A value of 0% void, for example, opens the row's episodes and not an empty list of void episodes.
    own = links.get(column) if row.get(column) else ""
    return own or links.get("episodes") or links.get("items") or links.get(column, "")
