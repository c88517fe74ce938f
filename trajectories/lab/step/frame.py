"""The frame around a step (list, scrubber and search), which stays the same from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from core.database.sql import Statement
from trajectories.actions.checks import Tone
from trajectories.lab.bookmarks.selectors import list_marked_steps
from trajectories.lab.step.index import thought_line
from trajectories.models import Episode
from trajectories.shell.queries import steps
from trajectories.shell.queries.lineage import Lineage, read_lineage
from trajectories.shell.queries.step_matches import MatchPosition, steps_matching
from trajectories.shell.queries.steps import MissingRange
from trajectories.shell.queries.timeline import Cell, Timeline, timeline_around
from trajectories.shell.updates import Updates

# More stretches would be narrower than a pixel, so in a long episode each covers several steps.
STRETCHES_MAX = 250
WIDTH = 1_000
_TIMES = Statement(steps.__file__, "step_times")


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """One step, or several from ``index`` on. ``x`` and ``width`` give its position on the scrubber."""

    index: int
    start_ms: float
    x: float
    width: float
    tone: Tone


@dataclass(frozen=True, kw_only=True)
class Scrubber:
    """The stretches in order, and how long all of them took together."""

    stretches: Sequence[Stretch]
    total_ms: float

    @cached_property
    def times(self) -> str:
        """Each stretch's number and start, in the format that scripts read: ``1,0 2,1200``."""
        return " ".join(f"{one.index},{one.start_ms:.0f}" for one in self.stretches)


def build_scrubber(*, episode_id: int) -> Scrubber:
    rows = _TIMES.rows(episode=episode_id, most=STRETCHES_MAX)
    starts = list(accumulate((row[1] for row in rows), initial=0.0))
    total = starts[-1] or 1.0
    stretches = [
        Stretch(
            index=index,
            start_ms=start,
            x=round(start / total * WIDTH, 2),
            width=round(ms / total * WIDTH, 2),
            tone="bad" if is_bad else "warn" if is_warned else "plain",
        )
        for (index, ms, is_bad, is_warned), start in zip(rows, starts, strict=False)
    ]
    return Scrubber(stretches=stretches, total_ms=total)


@dataclass(frozen=True, kw_only=True)
class ListedStep:
    """A row of the list of steps. ``thought`` is the beginning of the step's thought."""

    cell: Cell
    thought: str


def list_steps(timeline: Timeline, *, episode_id: int) -> list[ListedStep | MissingRange]:
    """Return the rows for a part of the timeline, each with the beginning of its thought."""
    numbers = [item.index for item in timeline.items if isinstance(item, Cell)]
    if not numbers:
        return []
    starts = steps.thought_starts(episode_id=episode_id, first=numbers[0], last=numbers[-1])
    return [
        ListedStep(cell=item, thought=thought_line(starts.get(item.index, "")))
        if isinstance(item, Cell)
        else item
        for item in timeline.items
    ]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The frame around step ``index``. ``find`` is the text that the reader searches the episode for."""

    episode: Episode
    index: int
    find: str = ""

    @cached_property
    def updates(self) -> Updates:
        return Updates(self.episode)

    @cached_property
    def timeline(self) -> Timeline:
        return timeline_around(
            episode_id=self.episode.pk, index=self.index, missing=self.updates.missing, last=self.updates.last
        )

    @cached_property
    def scrubber(self) -> Scrubber:
        return build_scrubber(episode_id=self.episode.pk)

    @cached_property
    def listed(self) -> list[ListedStep | MissingRange]:
        """The rows of the list of steps around this step."""
        return list_steps(self.timeline, episode_id=self.episode.pk)

    @cached_property
    def lineage(self) -> Lineage | None:
        return read_lineage(self.episode)

    @cached_property
    def marked(self) -> list[int]:
        """Numbers of the steps that someone bookmarked; the list marks them."""
        return list_marked_steps(self.episode.pk)

    @cached_property
    def match(self) -> MatchPosition:
        """This step's position among the steps that match ``find``."""
        matches = steps_matching(episode_id=self.episode.pk, find=self.find)
        return matches.position_of(self.index)
