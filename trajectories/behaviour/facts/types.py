"""Facts of steps and episodes, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.actions.checks import CheckId


@dataclass(frozen=True, kw_only=True)
class ActionCheck:
    """The outcome for one step's action, with its reason (at most ``DETAIL_CHARS`` characters)."""

    kind: CheckId
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class UnexplainedEvent:
    """An event that no action explains; ``step`` is None when it belongs to no recorded step."""

    step: int | None
    kind: str
    what: str


@dataclass(frozen=True, kw_only=True)
class EpisodeCheck:
    """``checks`` by step number."""

    checks: Mapping[int, ActionCheck]
    unexplained: Sequence[UnexplainedEvent] = ()


@dataclass(frozen=True, kw_only=True)
class CheckContext:
    """``has_page``: the arm has a page; ``is_recorded``: the recorder is on; ``answer``: as submitted through
    the API, None otherwise; ``answered_in``: the step in which a page's answer was recorded."""

    has_page: bool = True
    is_recorded: bool = True
    answer: object = None
    answered_in: int | None = None


@dataclass(frozen=True, kw_only=True)
class ActFact:
    """The check of a step's action, the earlier step that it repeats (None without one), and its place."""

    check: CheckId
    repeats: int | None
    place: str


@dataclass(frozen=True, kw_only=True)
class StepFact:
    """All facts of one step. ``target`` is the element that its action names; ``measures`` are by
    column; ``sentences`` has a letter for each sentence of the thought."""

    index: int
    action_type: str
    target: str
    check: ActionCheck
    measures: Mapping[str, Any]
    sentences: str | None
    words: str

    def row(self) -> dict[str, Any]:
        """The column values, with the words as text for ``to_tsvector``."""
        return {
            "index": self.index,
            "action_type": self.action_type,
            "target": self.target,
            "action_check": self.check.kind,
            "action_check_detail": self.check.detail,
            **self.measures,
            "sentences": self.sentences,
            "words": self.words,
        }


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All facts of one episode. ``summary`` has the computed columns of ``EpisodeFacts``."""

    steps: Sequence[StepFact]
    unexplained: Sequence[UnexplainedEvent]
    summary: Mapping[str, Any]
