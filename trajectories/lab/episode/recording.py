"""An episode as its own pages recorded it, for episodes whose harness posted no steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import Http404
from django.urls import reverse

from trajectories.behaviour.dom_replay import document
from trajectories.behaviour.dom_replay.scenes import replay_action
from trajectories.behaviour.facts.page_actions import PageAction, read_page_actions
from trajectories.models import Episode, Fidelity, PageEvent
from trajectories.rollouts.judging import queue_sql
from trajectories.shell.queries import replays
from trajectories.shell.queries.replays import Replay
from trajectories.shell.queries.steps import StepEvents


@dataclass(frozen=True, kw_only=True)
class PageRecording:
    """The actions recorded by an episode's pages. ``spent`` is how much of the step budget they used."""

    episode: Episode

    @cached_property
    def actions(self) -> list[PageAction]:
        return read_page_actions(self.episode.pk)

    @property
    def done(self) -> int:
        """Number of actions that the agent or a person performed."""
        return sum(action.kind != "open" for action in self.actions)

    @cached_property
    def spent(self) -> int:
        return queue_sql.acts_outside_steps(self.episode.pk)

    @cached_property
    def pictures(self) -> dict[int, str]:
        """Pictures of the pages before each action, rendered from the recording; empty once it was pruned."""
        rows = Fidelity.objects.filter(episode=self.episode).exclude(replay="")
        rendered = dict(rows.values_list("index", "replay"))
        return {} if rendered and replays.read_pruning(self.episode.pk) else rendered

    @property
    def rows(self) -> list[tuple[PageAction, float | None, str]]:
        """Each action with its milliseconds since the first one and its picture (empty if there is none)."""
        first = self.actions[0].at_ms if self.actions else None
        offsets = [
            None if first is None or action.at_ms is None else max(0.0, action.at_ms - first)
            for action in self.actions
        ]
        pictures = [self.pictures.get(action.number, "") for action in self.actions]
        return list(zip(self.actions, offsets, pictures, strict=True))


@dataclass(frozen=True, kw_only=True)
class ActionPage:
    """One page action and its replay."""

    recording: PageRecording
    number: int

    @cached_property
    def action(self) -> PageAction:
        """The action. Raises ``Http404`` if the episode has no action with this number."""
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
        """The page events from which the action was derived."""
        rows = PageEvent.objects.filter(
            episode=self.episode, page=self.action.page, seq__in=self.action.seqs
        ).order_by("seq")
        return StepEvents(page=list(rows), site=[], is_cut=False)

    @cached_property
    def replay(self) -> Replay:
        when = "as it opened" if self.action.kind == "open" else f"before action {self.number}"
        return Replay(
            episode=self.episode,
            noun="action",
            address=reverse("page_action_dom", args=[self.episode.pk, self.number]),
            frame_title=f"The page {when}, rebuilt from its recording",
            outcome=replay_action(
                self.action,
                self.recording.actions,
                episode_id=self.episode.pk,
                resolve=document.map_addresses(self.episode),
            ),
        )
