"""Page actions of an episode whose harness posted no steps, derived from what its pages reported.

A page action is what a person would call one action: a click with what it toggles or submits, a field with
everything typed into it, a choice, a key, a page opened in another way. They are claims of the page, as its
events are. The step budget is counted separately, by the arena (`docs/decisions/0021`).
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

# An event that follows another one of the same page this fast is its consequence: the click that Enter
# causes, a label's second click, the change of a box.
CAUSED_MS = 60.0
# A page that was opened no later than this after a click or a key was opened by it.
OPENED_BY_MS = 10_000.0
TOGGLES = frozenset({"checkbox", "radio", "switch"})
CHOICES = frozenset({"combobox", "listbox"})
TEXTS = FIELDS - CHOICES | {"searchbox"}
ENDING_KEYS = frozenset({"Enter", "Escape", "Tab"})
VALUE_CHARS = 2_000
# The events that make actions; only a program that drives a page reports more than a thousand of them.
EVENT_KINDS = ("load", "click", "input", "key", "submit", "focus", "scroll")
EVENTS_READ = 5_000
EVENT_COLUMNS = ("page", "seq", "kind", "at_ms", "data", "received_at")


class SeenEvent(Struct, frozen=True, kw_only=True):
    """A page event that belongs to no step. ``at_ms`` counts from the beginning of its page load;
    ``received_ms`` is the time of its arrival, in Unix milliseconds."""

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
    """An action assembled from page events outside steps, in an episode without posted steps.

    ``number`` counts from 1; the first, of ``kind`` ``open``, is the episode's first page, which no one did.
    ``target`` describes the element, ``value`` is what was typed, chosen or pressed, and ``opened`` the path
    of the page that it led to, null if none. ``page`` is the page load, ``seqs`` are its events. ``at_ms``
    and ``until_ms`` are Unix milliseconds by the clock of the page's machine, null without one. All of it is
    the page's claim, as its events are.
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
    """An action with the state needed to match the next event."""

    action: PageAction
    element: str
    role: str
    last: float


def read_page_actions(episode_id: int) -> list[PageAction]:
    """Read the actions that an episode's pages reported outside any step, in one query."""
    rows = PageEvent.objects.filter(episode_id=episode_id, step=None, kind__in=EVENT_KINDS)
    values = rows.order_by("received_at", "page", "seq").values_list(*EVENT_COLUMNS)[:EVENTS_READ]
    return derive_page_actions(SeenEvent.read(*row) for row in values)


def derive_page_actions(events: Iterable[SeenEvent]) -> list[PageAction]:
    """Return the actions in their order. Pure: the order of the given events does not matter."""
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
    """Return the start of each page load in Unix milliseconds, as the page reported it."""
    loads = [(event.page, event.data.get("origin")) for event in events if event.kind == "load"]
    return {page: float(origin) for page, origin in loads if isinstance(origin, (int, float)) and origin > 1}


def _time(event: SeenEvent, origins: dict[str, float]) -> float:
    origin = origins.get(event.page)
    return event.received_ms if origin is None else origin + event.at_ms


def _take(acts: list[_Act], event: SeenEvent, at: float, *, is_timed: bool) -> None:
    """Add an event to its action, or begin a new one."""
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
    """Return the kind of action that an event alone would be.

    None for a consequence, or the page's own doing.
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
