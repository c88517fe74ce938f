"""Open a URL."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions.types import ActionType, DeclaredStep, Finding, PageRecord, register


def _rule(step: DeclaredStep, record: PageRecord) -> Finding:
    served = record.served.get(step.index, ())
    if not served:
        return _without_page(step, record)
    requested = _path(step.field("url"))
    reached = [_path(event.data.get("path")) for event in served]
    if any(path == requested or (requested and path.endswith(f"/{requested}")) for path in reached):
        return Finding(kind="confirmed")
    return Finding(kind="different_effect", detail=f"the page that was served is /{reached[-1]}")


def _without_page(step: DeclaredStep, record: PageRecord) -> Finding:
    if record.events_of(step.index, "load") or not record.is_served_whole:
        return Finding(kind="unknown", detail="the server recorded no page, whatever the page reports")
    return Finding(kind="missing", detail="no page was served")


def _path(address: Any) -> str:
    """Return the path of a URL without its query, as the server records it relative to the first page."""
    if not isinstance(address, str):
        return ""
    try:
        return unquote(urlsplit(address.strip()).path).strip("/")
    except ValueError:
        return ""


register(
    ActionType(spec=ACTION_SPECS["goto"], rule=_rule, object="url", verbs=("go to", "open", "navigate to"))
)
