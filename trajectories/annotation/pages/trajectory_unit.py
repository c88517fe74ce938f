"""A whole trajectory as its annotator sees it: the task and the steps, without the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, Max, TextField, Value, When
from django.db.models.functions import Left

from trajectories.annotation.pages.unit import UnitPage
from trajectories.lab.step.index import thought_line
from trajectories.models import Episode, Step
from trajectories.shell.queries.step_facts import step_labels
from trajectories.shell.queries.steps import HAS_PICTURE, LISTED
from trajectories.shell.text.untrusted import cut

STEPS_SHOWN = 200
THOUGHT_CHARS = 6_000
OUTLINE_CHARS = 8_000


@dataclass(frozen=True, kw_only=True)
class WalkStep:
    """A step in the list: one line of it is always shown, the rest only when the step is open."""

    index: int
    row: dict[str, Any]
    target: str
    is_open: bool

    @property
    def line(self) -> str:
        return thought_line(self.row["thought_start"])

    @property
    def thought(self) -> str:
        return cut(self.row["thought_start"], THOUGHT_CHARS)


@dataclass(frozen=True, kw_only=True)
class WalkPage:
    """A page of steps. ``query`` requests it without moving another list on the same page."""

    first: int
    last: int
    query: str
    is_shown: bool


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A trajectory as a list of its steps, or of one page of steps if it is long.

    ``name`` distinguishes several lists on a page and ``parameter`` does so in URLs; ``keys`` are the
    keyboard keys that move through the list. ``starts`` maps each parameter to the step at which its list
    begins.
    """

    episode_id: int
    name: str
    keys: str
    parameter: str = "steps"
    starts: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def episode(self) -> Episode | None:
        return Episode.objects.select_related("task", "run").filter(pk=self.episode_id).first()

    @cached_property
    def steps(self) -> list[WalkStep]:
        rows = list(self._rows)
        labels = step_labels(episode_id=self.episode_id, indexes=[row["index"] for row in rows])
        return [
            WalkStep(index=row["index"], row=row, target=labels[row["index"]].target, is_open=row is rows[0])
            for row in rows
        ]

    @property
    def pages(self) -> list[WalkPage]:
        """All pages of steps; empty if one page is enough."""
        if self._last <= STEPS_SHOWN:
            return []
        firsts = range(1, self._last + 1, STEPS_SHOWN)
        return [self._page(first, min(first + STEPS_SHOWN - 1, self._last)) for first in firsts]

    @property
    def page_before(self) -> WalkPage | None:
        return next((page for page in self.pages if page.last == self._start - 1), None)

    @property
    def page_after(self) -> WalkPage | None:
        return next((page for page in self.pages if page.first == self._start + STEPS_SHOWN), None)

    def _page(self, first: int, last: int) -> WalkPage:
        query = urlencode({**self.starts, self.parameter: first})
        return WalkPage(first=first, last=last, query=query, is_shown=first == self._start)

    @cached_property
    def _last(self) -> int:
        last = Step.objects.filter(episode_id=self.episode_id).aggregate(last=Max("index"))["last"]
        return last or 0

    @property
    def _start(self) -> int:
        """The first step of the page that contains the requested step; pages begin at fixed steps."""
        start = min(self.starts.get(self.parameter, 1), max(self._last, 1))
        return (start - 1) // STEPS_SHOWN * STEPS_SHOWN + 1

    @property
    def _rows(self) -> Any:
        """The rows of the steps, with what an open step shows. An outline replaces a missing screenshot."""
        outline = Case(
            When(screenshot="", then=Left("observation_text", OUTLINE_CHARS)),
            default=Value(""),
            output_field=TextField(),
        )
        steps = Step.objects.filter(episode_id=self.episode_id)
        rows = steps.filter(index__range=(self._start, self._start + STEPS_SHOWN - 1)).annotate(
            thought_start=Left("thought", THOUGHT_CHARS + 1), has_picture=HAS_PICTURE, outline=outline
        )
        return rows.order_by("index").values(*LISTED, "thought_start", "has_picture", "outline")


@dataclass(frozen=True, kw_only=True)
class TrajectoryPage(UnitPage):
    """The page of a unit that is a whole episode."""

    template = "lab/annotation/_trajectory.html"

    @cached_property
    def walk(self) -> Walk:
        unit = self.slot.unit
        return Walk(episode_id=unit.episode_id, name=f"walk-{self.element_id}", keys="gh", starts=self.starts)

    @property
    def is_there(self) -> bool:
        return self.walk.episode is not None and bool(self.walk.steps)

    @property
    def episode(self) -> Episode | None:
        return self.walk.episode

    @property
    def last_step(self) -> int:
        return self.slot.unit.end

    @cached_property
    def step(self) -> None:
        """None, because the unit is the whole trajectory."""
        return
