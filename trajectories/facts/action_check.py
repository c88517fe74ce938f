"""What an agent said it does, matched with what its pages reported: confirmed, not seen, different or extra.

The rule, whole in ``docs/said_and_done.md``: a declared action is matched with the page events of its step,
which carry the step's number (``X-Gym-Step``); only where no event of the episode has a number are they tied
by time. Page events are the page's own word: what is said here informs, and scores nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from trajectories.facts import action_rules, attribution

Kind = Literal["confirmed", "not_seen", "different", "extra", "unknown", "none"]
KINDS: tuple[Kind, ...] = ("confirmed", "not_seen", "different", "extra", "unknown", "none")
MISMATCHES: tuple[Kind, ...] = ("not_seen", "different", "extra")
DETAIL_CHARS = 200
# Kinds of page events by which somebody does something. The others are consequences, or the page's own doing.
ACTS = ("click", "input", "key", "submit")


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A step, as far as it is matched. ``result`` is the harness's word, empty when it gave none; what
    ``observation`` lacks was not shown only with ``has_all_shown``."""

    index: int
    action: Mapping[str, Any] | None
    result: str = ""
    observation: str = ""
    has_all_shown: bool = True
    started_at: datetime | None = None
    duration_ms: float = 0.0

    @property
    def type(self) -> str:
        kind = self.action.get("type") if self.action else None
        return kind if isinstance(kind, str) else ""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """A page event. ``at`` is when it arrived, by the server's clock."""

    page: str
    seq: int
    kind: str
    step: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """``has_page``: the arm has one; ``is_recorded``: the recorder is on; ``answer``: as it was taken by the
    API, None when it was not."""

    has_page: bool = True
    is_recorded: bool = True
    answer: object = None


@dataclass(frozen=True, kw_only=True)
class Match:
    """What became of one step's action, with the reason in words (at most ``DETAIL_CHARS`` characters)."""

    kind: Kind
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Extra:
    """An event that no action explains; ``step`` is None when it belongs to none that was recorded."""

    step: int | None
    kind: str
    what: str


@dataclass(frozen=True, kw_only=True)
class SaidDone:
    """``matches`` by step number."""

    matches: Mapping[int, Match]
    extras: Sequence[Extra] = ()


def said_done(steps: Sequence[Declared], events: Sequence[Reported], surroundings: Surroundings) -> SaidDone:
    """Match all steps of an episode, ascending by number, with its page events, in the order of arrival."""
    silence = _silence(events, surroundings)
    if silence:
        return SaidDone(matches={step.index: _unseen(step, silence, surroundings) for step in steps})
    tied = attribution.tied(steps, events)
    matches: dict[int, Match] = {}
    # What belongs to no step for want of its time may well be what that step's action did.
    extras = [_extra(None, event) for event in tied.loose if _is_act(event) and not tied.untied]
    for step in steps:
        found, explained = _matched(step, tied, surroundings)
        spare = [one for one in tied.of(step.index) if _is_act(one) and one not in explained]
        extras.extend(_extra(step.index, one) for one in spare)
        if spare and found.kind in ("confirmed", "none") and step.type in action_rules.QUIET:
            found = Match(kind="extra", detail=_cut(f"the page saw {action_rules.event_words(spare[0])}"))
        matches[step.index] = found
    return SaidDone(matches=matches, extras=extras)


def _silence(events: Sequence[Reported], surroundings: Surroundings) -> str:
    """Why nothing can be known of any step, empty when something can."""
    if not surroundings.has_page:
        return "this arm has no page"
    if not surroundings.is_recorded:
        return "page events were not recorded"
    if not events:
        return "no page reported anything: without JavaScript none does"
    return ""


def _unseen(step: Declared, silence: str, surroundings: Surroundings) -> Match:
    if step.action is None:
        return Match(kind="none")
    if step.type == "answer":
        return _answer(step, surroundings)
    if surroundings.has_page and (reason := action_rules.not_done(step)):
        return Match(kind="not_seen", detail=reason)
    return Match(kind="unknown", detail=silence)


def _matched(
    step: Declared, tied: attribution.Tied, surroundings: Surroundings
) -> tuple[Match, Sequence[Reported]]:
    """The match, and the events that the action explains."""
    if step.action is None:
        return Match(kind="none"), ()
    if step.type == "answer":
        return _answer(step, surroundings), ()
    if not tied.is_placed(step.index):
        if reason := action_rules.not_done(step):
            return Match(kind="not_seen", detail=reason), ()
        return Match(kind="unknown", detail="neither numbers nor times tie events to this step"), ()
    rule = action_rules.RULES.get(step.type)
    found = rule(step, tied) if rule else _of_no_rule(step, tied)
    if found.kind == "missing":
        return _missing(step, tied, found.detail), found.explained
    # What pages cannot tell of an action that was done, they need not tell of one that was not.
    if found.kind == "unknown" and (reason := action_rules.not_done(step)):
        return Match(kind="not_seen", detail=reason), found.explained
    return Match(kind=found.kind, detail=_cut(found.detail)), found.explained


def _of_no_rule(step: Declared, tied: attribution.Tied) -> action_rules.Found:
    """Whatever the page saw may be what such an action does."""
    detail = "an action of a type that is not known"
    return action_rules.Found(kind="unknown", detail=detail, explained=tied.of(step.index))


def _missing(step: Declared, tied: attribution.Tied, detail: str) -> Match:
    """Nothing was seen: because nothing was done, or because the word of it is lost."""
    if reason := action_rules.not_done(step):
        return Match(kind="not_seen", detail=reason)
    if step.result == "timeout":
        return Match(kind="unknown", detail="the page did not answer in time")
    if step.index >= tied.capped_from:
        return Match(kind="unknown", detail="the episode had reached its limit of page events")
    if any(event.kind == "load" for event in tied.of(step.index)):
        return Match(kind="unknown", detail="the page was left: its last events may be lost")
    return Match(kind="not_seen", detail=_cut(detail))


def _answer(step: Declared, surroundings: Surroundings) -> Match:
    given = step.action.get("text") if step.action else None
    if surroundings.answer is None:
        return Match(kind="not_seen", detail=action_rules.not_done(step) or "no answer was taken this way")
    if action_rules.same_answer(given, surroundings.answer):
        return Match(kind="confirmed")
    if step.result not in ("", "ok"):
        return Match(kind="not_seen", detail=action_rules.not_done(step) or "it was not done")
    return Match(kind="different", detail="another answer was sent")


def _is_act(event: Reported) -> bool:
    """Clicks that a script made are the page's own."""
    return event.kind in ACTS and event.data.get("trusted") is not False


def _extra(step: int | None, event: Reported) -> Extra:
    return Extra(step=step, kind=event.kind, what=_cut(action_rules.event_words(event)))


def _cut(text: str) -> str:
    return text if len(text) <= DETAIL_CHARS else text[: DETAIL_CHARS - 1] + "…"
