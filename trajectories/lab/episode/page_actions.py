"""An episode as its pages recorded it, where no harness posted steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import Http404
from django.urls import reverse

from trajectories.capture import chunks
from trajectories.capture.chunks import RecordedPage
from trajectories.dom_replay import description, document
from trajectories.dom_replay.page_actions import page_actions_of, scene_of
from trajectories.dom_replay.scenes import NoScene, Scene
from trajectories.facts.page_actions import PageAction
from trajectories.judging import queue_sql
from trajectories.lab.queries import page_actions, prunings
from trajectories.lab.queries.steps import StepEvents
from trajectories.models import Episode


@dataclass(frozen=True, kw_only=True)
class PageRecording:
    """The actions on an episode's pages; ``spent`` of its step budget is used."""

    episode: Episode

    @cached_property
    def actions(self) -> list[PageAction]:
        return page_actions_of(self.episode.pk)

    @property
    def done(self) -> int:
        """How many of them somebody did."""
        return sum(action.kind != "open" for action in self.actions)

    @cached_property
    def spent(self) -> int:
        return queue_sql.acts_outside_steps(self.episode.pk)

    @cached_property
    def pictures(self) -> dict[int, str]:
        """What the pages looked like before the actions, drawn from the recording."""
        return page_actions.pictures_of(self.episode.pk)

    @property
    def rows(self) -> list[tuple[PageAction, float | None, str]]:
        """The actions, each with the milliseconds since the first and its picture, empty without one."""
        first = self.actions[0].at_ms if self.actions else None
        offsets = [
            None if first is None or one.at_ms is None else max(0.0, one.at_ms - first)
            for one in self.actions
        ]
        pictures = [self.pictures.get(one.number, "") for one in self.actions]
        return list(zip(self.actions, offsets, pictures, strict=True))


@dataclass(frozen=True, kw_only=True)
class ActionPage:
    """One page action with its replay, as ``step.replay.Replay`` has it."""

    recording: PageRecording
    number: int

    noun = "action"

    @cached_property
    def action(self) -> PageAction:
        for action in self.recording.actions:
            if action.number == self.number:
                return action
        raise Http404(f"Episode {self.episode.pk} has no page action {self.number}.")

    @property
    def episode(self) -> Episode:
        return self.recording.episode

    @property
    def before(self) -> int | None:
        return self.number - 1 or None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < len(self.recording.actions) else None

    @cached_property
    def events(self) -> StepEvents:
        rows = page_actions.events_of(self.episode.pk, self.action)
        return StepEvents(page=rows, site=[], is_cut=False)

    # ---- the replay

    @property
    def address(self) -> str:
        return reverse("page_action_dom", args=[self.episode.pk, self.number])

    @property
    def frame_title(self) -> str:
        when = "as it opened" if self.action.kind == "open" else f"before action {self.number}"
        return f"The page {when}, rebuilt from its recording"

    @cached_property
    def _scene(self) -> Scene | NoScene:
        return scene_of(
            self.action,
            self.recording.actions,
            episode_id=self.episode.pk,
            resolve=document.addresses_of(self.episode),
        )

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
        return self._scene.moment.page if self._scene.moment else ""

    @property
    def facts(self) -> list[str]:
        return description.moment_facts(self._scene.moment) if self._scene.moment else []

    @property
    def losses(self) -> list[str]:
        return description.losses(self._scene)

    @property
    def duration(self) -> str:
        scene = self.scene
        if scene is None or scene.until_ms <= scene.at_ms:
            return ""
        return description.duration(scene.until_ms - scene.at_ms)

    @cached_property
    def loads(self) -> list[RecordedPage]:
        return [] if self.scene else chunks.loads_of(self.episode)
