"""An episode's live state, and the check whether its page is out of date."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from django.db.models import Count, Max
from django.utils import timezone

from trajectories.models import Episode, EpisodeFacts, Step
from trajectories.shell.queries import episodes, programs, steps
from trajectories.shell.queries.episodes import LiveState
from trajectories.shell.queries.steps import MissingSteps, read_missing_steps

# Once there is a verdict, this label replaces "Live", along with what the page is still waiting for.
JUDGED = "Judged"
AWAITING_STEPS = "Waiting up to {} s for a last step: the client has not closed the episode"
AWAITING_MEASURES = "Closed: measures follow within seconds"


class Updates:
    """An episode's state at one moment.

    ``version`` describes a single moment and is cheap to compute, since every open page polls it every few
    seconds. Anything that arrives later changes the version, and the page is fetched again.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        counts = Step.objects.filter(episode_id=episode.pk).aggregate(
            last=Max("index"), number=Count("index")
        )
        self.last: int = counts["last"] or 0
        self.number: int = counts["number"]
        self.measured_at = _read_measured_at(episode.pk) if episode.finished_at else None
        is_measured = self.measured_at is not None
        self.state = episodes.live_state(episode, is_measured=is_measured, now=timezone.now())
        self.socket = f"/ws/episodes/{episode.pk}/"

    @cached_property
    def version(self) -> str:
        """A text that changes whenever the page should be fetched again."""
        episode = self._episode
        parts = (
            episode.status,
            self.last,
            self.number,  # only this part changes when a missing step arrives
            episode.verdict_id or "",
            self.state,
            "closed" if episode.closed_at else "",
            self.measured,
            programs.calls_version(episode),
        )
        return "-".join(map(str, parts))

    @property
    def is_live(self) -> bool:
        return self.state != LiveState.ENDED

    @property
    def measured(self) -> str:
        """The time when facts were stored, in a format that scripts can compare; empty before that."""
        return str(self.measured_at.timestamp()) if self.measured_at else ""

    @cached_property
    def start(self) -> int:
        """The lowest step number, or 0 if there are no steps."""
        return steps.first_index(episode_id=self._episode.pk)

    @cached_property
    def missing(self) -> MissingSteps:
        return read_missing_steps(episode_id=self._episode.pk, last=self.last, number=self.number)

    @property
    def label(self) -> str:
        return JUDGED if self.state == LiveState.ENDING else ""

    @property
    def reason(self) -> str:
        """The reason why the page is still waiting after the verdict; empty if it is not."""
        if self.state != LiveState.ENDING:
            return ""
        if self._episode.closed_at:
            return AWAITING_MEASURES
        return AWAITING_STEPS.format(round(episodes.watch_time().total_seconds()))


def _read_measured_at(episode_id: int) -> datetime | None:
    return EpisodeFacts.objects.filter(pk=episode_id).values_list("computed_at", flat=True).first()
