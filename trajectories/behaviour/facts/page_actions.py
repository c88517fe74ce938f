"""Page actions, derived from page events where an episode's harness posted no steps.

A page action is what a person would call one action: a click with what it toggles or submits, a field with
everything typed into it, a choice, a key, or a page opened in another way. Like the events, page actions are
the page's own claims. The arena counts the step budget separately (`docs/decisions/0021`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, Self

from msgspec import Struct

from trajectories.actions import elements
from trajectories.actions.elements import FIELDS
from trajectories.models import PageEvent

PageActionKind = Literal["open", "click", "type", "select", "toggle", "press", "submit", "navigate"]

# An event this soon after another event of the same page is its consequence: the click that Enter causes, the
# second click of a label, the change of a check box.
CAUSED_MS = 60.0
# A page that opens within this time of a click or a key press is attributed to it.
OPENED_BY_MS = 10_000.0
TOGGLES = frozenset({"checkbox", "radio", "switch"})
CHOICES = frozenset({"combobox", "listbox"})
TEXTS = FIELDS - CHOICES | {"searchbox"}
ENDING_KEYS = frozenset({"Enter", "Escape", "Tab"})
VALUE_CHARS = 2_000
# The kinds of events from which actions are derived. Only a program that drives a page reports over a
# thousand.
EVENT_KINDS = ("load", "click", "input", "key", "submit", "focus", "scroll")
EVENTS_READ = 5_000
EVENT_COLUMNS = ("page", "seq", "kind", "at_ms", "data", "received_at")


class SeenEvent(Struct, frozen=True, kw_only=True):
    """A page event that belongs to no step.

    ``at_ms`` counts from the beginning of its page load, and ``received_ms`` is its time of arrival in Unix
    milliseconds.
    """

    page: str
    seq: int
    kind: str
    at_ms: float
    data: dict[str, Any]
    received_ms: float

    @classmethod
    def read(cls, page: str, seq: int, kind: str, at_ms: float, data: Any, received_at: datetime) -> Self:
        """Read an event from its columns; ``data`` that is not an object counts as empty."""
        return cls(
            page=page,
            seq=seq,
            kind=kind,
            at_ms=at_ms,
            data=data if isinstance(data, dict) else {},
            received_ms=received_at.timestamp() * 1000,
        )

    def text(self, name: str) -> str:
        value = self.data.get(name)
        return value[:VALUE_CHARS] if isinstance(value, str) else ""


class PageAction(Struct, kw_only=True):
    """An action derived from an episode's page events, where the harness posted no steps.

    ``number`` counts from 1; the first action, of ``kind`` ``open``, is the loading of the episode's first
    page, which nobody performed. ``target`` describes the element, ``value`` is what was typed, chosen or
    pressed, and ``opened`` is the path of the page that the action led to, or null if it led to none.
    ``page`` is the page load, and ``seqs`` are the numbers of the action's events in it. ``at_ms`` and
    ``until_ms`` are Unix milliseconds by the clock of the page's machine, or null if the page did not report
    one. Like the events, all of this is the page's own claim.
    """

    number: int = 0
    kind: PageActionKind
    page: str
    target: str = ""
    value: str = ""
    is_submit: bool = False
    opened: str | None = None
    at_ms: float | None = None
    until_ms: float | None = None
    seqs: list[int] = []


class _Act(Struct, kw_only=True):
    """A page action under construction, with the state needed to match the next event."""

    action: PageAction
    element: str
    role: str
    last: float


def read_page_actions(episode_id: int) -> list[PageAction]:
    """Read the page actions of an episode from its events outside any step, with one query."""
    rows = PageEvent.objects.filter(episode_id=episode_id, step=None, kind__in=EVENT_KINDS)
    values = rows.order_by("received_at", "page", "seq").values_list(*EVENT_COLUMNS)[:EVENTS_READ]
    return derive_page_actions(SeenEvent.read(*row) for row in values)


def derive_page_actions(events: Iterable[SeenEvent]) -> list[PageAction]:
    """Return the page actions in chronological order, whatever the order of the given events."""
    seen = list(events)
    origins = _origins(seen)
    placed = sorted(
        (_time(event, origins), event.page, event.seq, event)
        for event in {(e.page, e.seq): e for e in seen}.values()
    )
    acts: list[_Act] = []
    for at, _, _, event in placed:
        _take(acts, event, at, is_timed=event.page in origins)
    for number, act in enumerate(acts, 1):
        act.action.number = number
    return [act.action for act in acts]


def _origins(events: Sequence[SeenEvent]) -> dict[str, float]:
    """Return the start of each page load in Unix milliseconds, for the pages that reported it."""
    loads = [(event.page, event.data.get("origin")) for event in events if event.kind == "load"]
    return {page: float(origin) for page, origin in loads if isinstance(origin, (int, float)) and origin > 1}


def _time(event: SeenEvent, origins: dict[str, float]) -> float:
    origin = origins.get(event.page)
    return event.received_ms if origin is None else origin + event.at_ms


def _take(acts: list[_Act], event: SeenEvent, at: float, *, is_timed: bool) -> None:
    """Add an event to the last action if it belongs there, otherwise begin a new action."""
    last = acts[-1] if acts else None
    kind = _kind(event)
    if kind is None or (last is not None and _belongs(last, event, kind, at)):
        if last is not None:
            _extend(last, event, kind, at)
        return
    if kind == "navigate" and last is None:
        kind = "open"
    action = PageAction(kind=kind, page=event.page, at_ms=at if is_timed else None)
    acts.append(_Act(action=action, element=event.text("element"), role=event.text("role"), last=at))
    _extend(acts[-1], event, kind, at)


def _kind(event: SeenEvent) -> PageActionKind | None:
    """Return the kind of action that an event would be on its own.

    None means that it would be no action: a mere consequence, or something that the page's scripts did.
    """
    role = event.text("role")
    if event.data.get("trusted") is False:
        return None
    if event.kind == "input":
        return "toggle" if role in TOGGLES else "select" if role in CHOICES else "type"
    kinds: dict[str, PageActionKind] = {
        "click": "click",
        "key": "press",
        "submit": "submit",
        "load": "navigate",
    }
    return kinds.get(event.kind)


def _belongs(last: _Act, event: SeenEvent, kind: PageActionKind, at: float) -> bool:
    is_same_page = event.page == last.action.page
    is_caused = is_same_page and at - last.last <= CAUSED_MS
    if kind == "navigate":
        is_new = last.action.opened is None and last.action.kind in (
            "click",
            "press",
            "submit",
            "toggle",
            "select",
        )
        return is_new and event.page != last.action.page and at - last.last <= OPENED_BY_MS
    if not is_same_page:
        return False
    is_same_field = event.text("element") == last.element and (event.text("role") == last.role)
    if kind in ("type", "select"):
        is_editing = last.action.kind == "press" and last.action.value not in ENDING_KEYS
        return is_same_field and (last.action.kind in ("click", kind) or is_editing)
    if kind == "press":
        is_ending = event.text("key") in ENDING_KEYS
        return (
            is_same_field and last.action.kind in ("click", "type") and last.role in TEXTS and not is_ending
        )
    return is_caused and last.action.kind in ("click", "press", "toggle", "select")


def _extend(act: _Act, event: SeenEvent, kind: PageActionKind | None, at: float) -> None:
    action = act.action
    if event.page == action.page:
        action.seqs.append(event.seq)
    if action.at_ms is not None and event.page == action.page:
        action.until_ms = max(at, action.at_ms)
    if kind is None:
        return
    act.last = at
    if kind in ("open", "navigate"):
        action.opened = event.text("path")
        return
    if kind == "submit":
        action.is_submit = True
    if kind in ("type", "select", "toggle"):
        action.kind = kind
        action.value = _value(event)
    if kind == "press" and action.kind == "press":
        action.value = event.text("key")
    if not action.target or kind == "toggle":
        action.target = _describe(event)
        act.element, act.role = event.text("element"), event.text("role")


def _value(event: SeenEvent) -> str:
    checked = event.data.get("checked")
    if isinstance(checked, bool):
        return "on" if checked else "off"
    return event.text("value")


def _describe(event: SeenEvent) -> str:
    return "" if event.kind in ("submit", "load") else str(elements.reported(event.data))
