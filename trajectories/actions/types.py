"""Declared actions, the page events with which they are compared, and the findings of such checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from core.registry import Registry
from palaestra.protocol.actions import ActionSpec, action_add
from trajectories.actions.checks import CheckId
from trajectories.actions.marks import Marks, Offset

# Page events that a user causes. All other events are consequences, or are caused by the page itself.
ACT_KINDS = ("click", "input", "key", "submit")
# All kinds that the recorder (`static/js/arena/recorder.js`) reports. Its reports are only claims, since a
# page's scripts can report anything.
PAGE_KINDS = (*ACT_KINDS, "focus", "scroll", "load", "settled", "visible", "error")
# This kind is stored only by the server, once an episode has reached its limit on page events.
CAPPED = "capped"
NEVER = 2**31
Manner = Callable[[Mapping[str, Any]], str]
ACTIONS: Registry[ActionType] = Registry("action")


class DeclaredStep(Struct, frozen=True, kw_only=True):
    """The parts of a step that are needed to check its action.

    ``result`` and ``target_path`` (the target element's place in the document) are as the harness reported
    them, or empty if it did not. With ``is_observation_complete``, elements that the observation lacks were
    not on the page.
    """

    index: int
    action: Mapping[str, Any] | None = None
    result: str = ""
    target_path: str = ""
    observation: str = ""
    is_observation_complete: bool = True
    started_at: datetime | None = None
    duration_ms: float = 0.0

    @property
    def type(self) -> str:
        return get_type(self.action)

    def field(self, name: str) -> Any:
        return self.action.get(name) if self.action else None


class ReportedEvent(Struct, frozen=True, kw_only=True):
    """A page event; ``at`` is when it arrived, by the server's clock."""

    kind: str
    data: Mapping[str, Any] = {}
    page: str = ""
    step: int | None = None
    at: datetime | None = None

    @property
    def is_act(self) -> bool:
        """True if a user caused the event; a script's clicks count as the page's own."""
        return self.kind in ACT_KINDS and self.data.get("trusted") is not False


@dataclass(frozen=True, kw_only=True)
class PageRecord:
    """Everything that an episode's pages reported, by step number, and the server's own records.

    ``loose`` events belong to no step. From step ``capped_from`` on, events may be missing because the
    episode exceeded its limit. Steps in ``unplaced`` can be matched with events neither by number nor by
    time. By the server's own record, ``served`` are the pages served (all of them if ``is_served_whole``),
    ``called`` the steps and names of tool calls, and ``answer`` the answer accepted by the API, if any.
    ``answered_in`` is the step in which a page's answer was recorded, after which the page may report
    nothing.
    """

    steps: Sequence[DeclaredStep] = ()
    by_step: Mapping[int, Sequence[ReportedEvent]] = field(default_factory=dict)
    loose: Sequence[ReportedEvent] = ()
    capped_from: int = NEVER
    positions: Mapping[int, int] = field(default_factory=dict)
    unplaced: frozenset[int] = frozenset()
    served: Mapping[int, Sequence[ReportedEvent]] = field(default_factory=dict)
    is_served_whole: bool = True
    called: frozenset[tuple[int | None, str]] = frozenset()
    answer: object = None
    answered_in: int | None = None

    def events_of(self, index: int, *kinds: str) -> list[ReportedEvent]:
        """Return a step's events, either of all kinds or of the given ones."""
        return [event for event in self.by_step.get(index, ()) if not kinds or event.kind in kinds]

    def step_after(self, index: int) -> DeclaredStep | None:
        position = self.positions[index] + 1
        return self.steps[position] if position < len(self.steps) else None

    def steps_before(self, index: int, *, most: int) -> Sequence[DeclaredStep]:
        """Return up to ``most`` steps before this one, latest first."""
        position = self.positions[index]
        return self.steps[max(0, position - most) : position][::-1]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of an action type's rule for one step.

    The kind ``missing`` means that nothing was reported, perhaps because events were lost. ``explained`` are
    the events that the action caused.
    """

    kind: CheckId | Literal["missing"]
    detail: str = ""
    explained: Sequence[ReportedEvent] = ()


Rule = Callable[[DeclaredStep, PageRecord], Finding]
MarksRule = Callable[[Mapping[str, Any], Sequence[ReportedEvent], Offset], Marks]


@dataclass(frozen=True, kw_only=True)
class ActionType:
    """Everything that the server knows about one type of action.

    ``spec`` describes it to models. ``object`` is the field that holds what was typed, pressed or opened,
    shown with ``unit`` after it; ``manner`` describes an unusual way of acting, such as a double click.
    ``verbs`` are the words with which thoughts announce it. ``rule`` checks what the page reported, ``marks``
    says what to draw on the screenshot, and ``labels`` override those of ``CHECKS``. An ``is_passive`` action
    does nothing to the page; ``needs_page`` means that the rule reads page events.
    """

    spec: ActionSpec
    rule: Rule
    object: str = ""
    unit: str = ""
    manner: Manner | None = None
    verbs: Sequence[str] = ()
    marks: MarksRule | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    is_passive: bool = False
    needs_page: bool = True

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def leaves_no_trace(self) -> bool:
        """True if the action is on a page but causes no page events."""
        return self.is_passive and self.needs_page


def get_type(action: object) -> str:
    """Return the type that an action names, or an empty string if it names none."""
    kind = action.get("type") if isinstance(action, Mapping) else None
    return kind if isinstance(kind, str) else ""


def register(kind: ActionType) -> None:
    """Register an action type, and add its spec to those that agents can be offered."""
    action_add(kind.spec)
    ACTIONS.register(kind.id, kind)


def find(action_id: str) -> ActionType | None:
    """Return the action type, or None if it is not registered, since a policy may declare anything."""
    return ACTIONS.get(action_id) if action_id in ACTIONS else None


def objects() -> dict[str, str]:
    """Return, for each action type that has one, the field that holds what was typed, pressed or opened."""
    return {id_: kind.object for id_, kind in ACTIONS.items() if kind.object}


def text_fields() -> set[str]:
    """Return the fields of all action types that hold text, as opposed to quantities."""
    return {kind.object for _, kind in ACTIONS.items() if kind.object and not kind.unit}
