"""Declared actions, the page events that they are checked against, and what a check finds."""

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

# Page events that a user causes; all others are consequences, or the page's own doing.
ACT_KINDS = ("click", "input", "key", "submit")
# All that the recorder reports (`static/js/arena/recorder.js`). It is a claim of the page, whose scripts can
# report anything.
PAGE_KINDS = (*ACT_KINDS, "focus", "scroll", "load", "settled", "visible", "error")
# Stored by the server alone, once an episode has reached its limit on page events.
CAPPED = "capped"
NEVER = 2**31
Manner = Callable[[Mapping[str, Any]], str]
ACTIONS: Registry[ActionType] = Registry("action")


class DeclaredStep(Struct, frozen=True, kw_only=True):
    """The parts of a step that are needed to check its action.

    ``result`` and ``target_path``, the place in the document of the element acted on, are the harness's word,
    empty when it gave none. ``is_observation_complete``: elements that the
    observation lacks were not shown.
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
        """True if a user did it; clicks made by a script are the page's own."""
        return self.kind in ACT_KINDS and self.data.get("trusted") is not False


@dataclass(frozen=True, kw_only=True)
class PageRecord:
    """Everything that the pages of an episode reported, by step number, and the accepted API answer, if any.

    ``answered_in`` is the step in which a page's answer was recorded; the page may report nothing after it.

    ``loose`` events belong to no step. From ``capped_from`` on, events may be missing because the episode
    exceeded its limit; steps in ``unplaced`` can be matched with events neither by number nor by time.
    ``served`` are the pages by the server's own account, all of them if ``is_served_whole``, and
    ``called`` the steps and names of tools that it called.
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
        """Return the events of a step, of all kinds or of those given."""
        return [event for event in self.by_step.get(index, ()) if not kinds or event.kind in kinds]

    def step_after(self, index: int) -> DeclaredStep | None:
        position = self.positions[index] + 1
        return self.steps[position] if position < len(self.steps) else None

    def steps_before(self, index: int, *, most: int) -> Sequence[DeclaredStep]:
        """Return at most ``most`` steps before this one, latest first."""
        position = self.positions[index]
        return self.steps[max(0, position - most) : position][::-1]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Result of an action type's rule for one step.

    ``missing``: nothing was reported, which may be due to lost events. ``explained`` are the events that the
    action caused.
    """

    kind: CheckId | Literal["missing"]
    detail: str = ""
    explained: Sequence[ReportedEvent] = ()


Rule = Callable[[DeclaredStep, PageRecord], Finding]
MarksRule = Callable[[Mapping[str, Any], Sequence[ReportedEvent], Offset], Marks]


@dataclass(frozen=True, kw_only=True)
class ActionType:
    """Everything that the server knows about one type of action.

    Models are told of it by its ``spec``. ``object`` is the field that says what was typed, pressed or
    opened, followed by ``unit``; ``manner`` tells readers how, where it is not the usual way. ``verbs`` are
    how thoughts announce it. ``rule`` says what the page must have reported, ``marks`` what is drawn on the
    screenshot; ``labels`` override those of ``CHECKS``. ``is_passive``: it does nothing to the page;
    ``needs_page``: its rule reads page events.
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
        """True if a page can report this action only by reporting nothing."""
        return self.is_passive and self.needs_page


def get_type(action: object) -> str:
    """Return the type that an action names, empty when it names none."""
    kind = action.get("type") if isinstance(action, Mapping) else None
    return kind if isinstance(kind, str) else ""


def register(kind: ActionType) -> None:
    """Add a type, and its spec where agents are not told of it yet."""
    action_add(kind.spec)
    ACTIONS.register(kind.id, kind)


def find(action_id: str) -> ActionType | None:
    """Return the type, None if it is not registered: a policy may declare anything."""
    return ACTIONS.get(action_id) if action_id in ACTIONS else None


def objects() -> dict[str, str]:
    """Return for each action type the field that holds what was typed, pressed or opened, if any."""
    return {id_: kind.object for id_, kind in ACTIONS.items() if kind.object}


def text_fields() -> set[str]:
    """Return the fields of all types that hold words."""
    return {kind.object for _, kind in ACTIONS.items() if kind.object and not kind.unit}
