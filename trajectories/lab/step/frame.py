"""The frame around a step, which stays from step to step: the list, the scrubber, the search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trajectories.lab.bookmarks.selectors import steps_marked
from trajectories.lab.step.scrubber import Scrubber, scrubber_of
from trajectories.lab.step.step_list import ListedStep, steps_listed
from trajectories.models import Episode
from trajectories.shell.queries.lineage import Lineage, lineage_of
from trajectories.shell.queries.missing_steps import MissingRange
from trajectories.shell.queries.step_matches import MatchPosition, steps_matching
from trajectories.shell.queries.timeline import Timeline, timeline_around
from trajectories.shell.updates import Updates


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The episode around step ``index``; ``find`` is the text that the reader searches the episode for."""

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
        return scrubber_of(episode_id=self.episode.pk)

    @cached_property
    def listed(self) -> list[ListedStep | MissingRange]:
        """The rows around the step in the list of steps."""
        return steps_listed(self.timeline, episode_id=self.episode.pk)

    @cached_property
    def lineage(self) -> Lineage | None:
        return lineage_of(self.episode)

    @cached_property
    def marked(self) -> list[int]:
        """Steps that have a sign in the list: someone bookmarked them."""
        return steps_marked(self.episode.pk)

    @cached_property
    def match(self) -> MatchPosition:
        """Position of the step among those that match ``find``."""
        matches = steps_matching(episode_id=self.episode.pk, find=self.find)
        return matches.position_of(self.index)
