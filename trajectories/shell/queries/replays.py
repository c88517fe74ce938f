"""DOM replays of a page before a step or page action, and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from trajectories.behaviour.dom_replay import scenes
from trajectories.behaviour.dom_replay.scenes import NoScene, Scene
from trajectories.models import Episode, Pruning
from trajectories.record.capture import chunks
from trajectories.record.capture.chunks import RecordedPage

RECORDING_PRUNED = "The recording was pruned by `manage.py prune`, because the episode is old."


def read_pruning(episode_id: int) -> Pruning | None:
    return Pruning.objects.filter(pk=episode_id).first()


def is_pruned(episode_id: int, what: Literal["recordings", "screenshots"]) -> bool:
    return Pruning.objects.filter(pk=episode_id, **{f"{what}_at__isnull": False}).exists()


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The replay of a page before a step or a page action; ``noun`` is the word for which of the two.

    If there is nothing to replay, ``scene`` is None and ``reason`` is the explanation.
    """

    episode: Episode
    noun: str
    address: str
    frame_title: str
    outcome: Scene | NoScene

    @property
    def scene(self) -> Scene | None:
        return self.outcome if isinstance(self.outcome, Scene) else None

    @property
    def reason(self) -> str:
        if not isinstance(self.outcome, NoScene):
            return ""
        if is_pruned(self.episode.pk, "recordings"):
            return RECORDING_PRUNED
        return scenes.REASONS[self.outcome.reason]

    @property
    def page(self) -> str:
        """The id of the replayed page load; empty if none was recorded."""
        return self.outcome.moment.page if self.outcome.moment else ""

    @property
    def facts(self) -> list[str]:
        return scenes.moment_facts(self.outcome.moment) if self.outcome.moment else []

    @property
    def losses(self) -> list[str]:
        return scenes.losses(self.outcome)

    @property
    def duration(self) -> str:
        """Duration until the page stopped changing after the action; empty if nothing changed."""
        scene = self.scene
        if scene is None or scene.until_ms <= scene.at_ms:
            return ""
        return scenes.duration(scene.until_ms - scene.at_ms)

    @cached_property
    def loads(self) -> list[RecordedPage]:
        """The recorded page loads, which are offered if there is no replay."""
        return [] if self.scene else chunks.list_loads(self.episode)
