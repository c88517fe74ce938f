"""Open an address."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from trajectories.actions.registry import register
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    loads = record.events_of(step.index, "load")
    if not loads:
        return Finding(kind="missing", detail="no page was loaded")
    requested = _path(step.field("url"))
    reached = [_path(event.data.get("path")) for event in loads]
    if any(path == requested or (requested and path.endswith(f"/{requested}")) for path in reached):
        return Finding(kind="confirmed")
    return Finding(kind="different_effect", detail=f"the page that was loaded is /{reached[-1]}")


def _path(address: Any) -> str:
    """The path below the episode's first page, without query: pages report no more."""
    if not isinstance(address, str):
        return ""
    try:
        return unquote(urlsplit(address.strip()).path).strip("/")
    except ValueError:
        return ""


register(
    ActionType(id="goto", rule=_rule, fields=("url",), object="url", verbs=("go to", "open", "navigate to"))
)
