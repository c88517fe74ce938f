"""The DOM replay of a step and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.urls import reverse

from trajectories.capture import chunks
from trajectories.capture.chunks import RecordedPage
from trajectories.dom_replay import description, document, scenes
from trajectories.dom_replay.scenes import NoScene, Scene
from trajectories.lab.queries import prunings
from trajectories.models import Episode, Step


@dataclass(frozen=True, kw_only=True)
class Replay:
    """``scene`` is None, with a ``reason``, for a step that cannot be replayed."""

    episode: Episode
    step: Step

    noun = "step"

    @property
    def address(self) -> str:
        return reverse("step_dom", args=[self.episode.pk, self.step.index])

    @property
    def frame_title(self) -> str:
        return f"The page before the action of step {self.step.index}, rebuilt from its recording"

    @cached_property
    def _scene(self) -> Scene | NoScene:
        return scenes.scene_of(self.step, resolve=document.addresses_of(self.episode))

    @property
    def scene(self) -> Scene | None:
        return self._scene if isinstance(self._scene, Scene) else None

    @property
    def reason(self) -> str:
        if not isinstance(self._scene, NoScene):
            return ""
        if prunings.is_pruned(self.episode.pk, "recordings"):
            return prunings.RECORDING_PRUNED
        return description.REASONS[self._scene.reason]

    @property
    def page(self) -> str:
        """The page load that the step saw; empty if none was recorded."""
        return self._scene.moment.page if self._scene.moment else ""

    @property
    def facts(self) -> list[str]:
        return description.moment_facts(self._scene.moment) if self._scene.moment else []

    @property
    def losses(self) -> list[str]:
        return description.losses(self._scene)

    @property
    def duration(self) -> str:
        """How long the step changed the page; empty if it did not."""
        scene = self.scene
        return (
            description.duration(scene.until_ms - scene.at_ms)
            if scene and scene.until_ms > scene.at_ms
            else ""
        )

    @cached_property
    def loads(self) -> list[RecordedPage]:
        """The recorded page loads, offered instead of a replay."""
        return [] if self.scene else chunks.loads_of(self.episode)
