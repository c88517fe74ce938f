"""Everything that the page of a step shows, and the part of it that changes from step to step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.tokens import mask_tokens
from trajectories.actions.checks import MISMATCHES
from trajectories.actions.elements import target_description
from trajectories.dom_replay.scenes import has_recording
from trajectories.facts.measures import MEASURES, Measure
from trajectories.lab.queries import episodes, programs, step_facts, step_matches, steps
from trajectories.lab.queries.fidelity import FidelityLabel, step_fidelity
from trajectories.lab.queries.step_facts import StepLabel
from trajectories.lab.queries.step_matches import MatchPosition
from trajectories.lab.queries.timeline import Timeline, timeline_around
from trajectories.lab.step.panels import Panel, panel_first, panels_of
from trajectories.lab.step.screenshot import Screenshot, step_screenshot
from trajectories.lab.text import long_text
from trajectories.lab.text.actions import action_phrase, element_more, pretty
from trajectories.lab.text.formulas import first_line_to_text
from trajectories.lab.text.long_text import Shown
from trajectories.lab.text.untrusted import BEGINNING_FETCHED
from trajectories.lab.updates import Updates
from trajectories.models import Blob, Episode, Step, StepFacts
from trajectories.prompts.templates import Template

URL_CHARS = 4_000
SUMMARY_CHARS = 120
TOKENS = ("prompt", "completion", "reasoning", "cached")


@dataclass(frozen=True, kw_only=True)
class StepPage:
    """A step of an episode; parts are read when they are first shown.

    ``find`` is the text that the reader searches the episode for; ``requested`` the step number that led
    here, which may be another step's.
    """

    episode: Episode
    step: Step
    find: str = ""
    requested: int | None = None

    # ---- where the step is

    @cached_property
    def neighbours(self) -> steps.Neighbours:
        return steps.step_neighbours(episode_id=self.episode.pk, index=self.step.index)

    @cached_property
    def notice(self) -> str:
        """Why another step than the requested one is shown; empty if it is that one."""
        if self.requested is None or self.requested == self.step.index:
            return ""
        if steps.step_nearest(episode_id=self.episode.pk, index=self.requested).pk != self.step.pk:
            return ""  # the address was written by hand
        if self.requested > self.step.index:
            return f"There is no step {self.requested}: {self.step.index} is the last one."
        return f"Step {self.requested} was never recorded: {self.step.index} is the next one."

    # ---- thought, action and observation

    @cached_property
    def texts(self) -> dict[str, Shown]:
        """The texts of the step with the matches of the search marked."""
        step = self.step
        texts = {
            "thought": step.thought,
            "url": mask_tokens(step.url)[:URL_CHARS],
            "tree": step.observation_text,
            "raw": step.raw,
            "action": pretty(step.action) if step.action else "",
        }
        return {name: long_text.shown(text, find=self.find) for name, text in texts.items()}

    @cached_property
    def more_json(self) -> Shown:
        return long_text.shown(pretty(self.step.more) if self.step.more else "")

    @property
    def summary(self) -> str:
        """The first line of the thought, for screen readers."""
        return first_line_to_text(self.step.thought[:BEGINNING_FETCHED], SUMMARY_CHARS)

    @cached_property
    def element(self) -> str:
        """The line of the observation that shows the action's target, if it says more than the label."""
        return element_more(self.step.action, in_observation=self.step.observation_text)

    @property
    def is_match_in_view(self) -> bool:
        """Whether a match shows without opening a panel."""
        phrase = action_phrase(self.step.action, target=self.label.target)
        return any("<mark>" in self.texts[name].html for name in ("thought", "url")) or phrase.holds(
            self.find
        )

    # ---- what is known about the step

    @cached_property
    def _facts(self) -> tuple[StepFacts | None, bool]:
        return step_facts.step_facts_get(episode_id=self.episode.pk, index=self.step.index)

    @property
    def facts(self) -> StepFacts | None:
        return self._facts[0]

    @property
    def measures(self) -> list[tuple[Measure, Any]]:
        """Each measure that this page shows, with its value."""
        return [(measure, getattr(self.facts, measure.column)) for measure in MEASURES if measure.label]

    @property
    def is_provisional(self) -> bool:
        return self._facts[1]

    @property
    def is_mismatch(self) -> bool:
        return self.facts is not None and self.facts.action_check in MISMATCHES

    @cached_property
    def label(self) -> StepLabel:
        target = target_description(self.step.action, observation=self.step.observation_text)
        if self.facts is None:
            return StepLabel(target=target)
        return StepLabel(
            target=target,
            action_check=self.facts.action_check,
            detail=self.facts.action_check_detail,
            is_provisional=self.is_provisional,
        )

    @cached_property
    def events(self) -> steps.StepEvents:
        return steps.step_events(episode_id=self.episode.pk, index=self.step.index)

    @cached_property
    def calls(self) -> list[programs.Call]:
        return programs.tool_calls(self.episode, step=self.step.index)

    @cached_property
    def fidelity(self) -> FidelityLabel | None:
        """How faithful the DOM replay is; None if it was not checked."""
        if self.episode.recording != Episode.Recording.FULL:
            return None
        row, label = step_fidelity(self.episode, index=self.step.index)
        return label if row else None

    @cached_property
    def times(self) -> list[tuple[str, float]]:
        """Names and milliseconds; times that were not posted are left out."""
        outside = "Page and browser" if self.episode.has_page else "Outside the model"
        times = (
            ("Whole step", self.step.duration_ms),
            ("Model", self._more.get("model_ms")),
            (outside, self._more.get("env_ms")),
        )
        return [(name, value) for name, value in times if isinstance(value, int | float)]

    @cached_property
    def tokens(self) -> list[tuple[str, int]]:
        usage = self._more.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        return [
            (f"{name.capitalize()} tokens", counts[name])
            for name in TOKENS
            if isinstance(counts.get(name), int)
        ]

    @property
    def _more(self) -> Mapping[str, object]:
        return self.step.more if isinstance(self.step.more, Mapping) else {}

    @property
    def has_usage(self) -> bool:
        posted = (self.step.policy_version, self.step.started_at)
        return bool(self.times or self.tokens) or any(value is not None for value in posted)

    # ---- files

    @cached_property
    def _blobs(self) -> dict[str, Blob]:
        return steps.blobs_uploaded([self.step.screenshot, self.step.observation_sha256])

    @property
    def observation_blob(self) -> Blob | None:
        return self._blobs.get(self.step.observation_sha256)

    @cached_property
    def screenshot(self) -> Screenshot:
        events = None if self.events.is_cut else self.events.page
        return step_screenshot(self.step, is_uploaded=self.step.screenshot in self._blobs, events=events)

    # ---- layout

    @property
    def has_tree(self) -> bool:
        return bool(self.step.observation_text or self.step.observation_sha256)

    @property
    def is_words_only(self) -> bool:
        """Whether nothing was seen, so that the thought gets the whole width."""
        return not self.step.screenshot and not (self.episode.has_page and self.has_tree)

    @cached_property
    def panels(self) -> list[Panel]:
        texts = self.texts
        return panels_of(
            self.episode,
            self.step,
            counts={
                "page": len(self.events.page),
                "server": len(self.events.site),
                "programs": len(self.calls),
            },
            matches={"tree": texts["tree"].matches, "json": texts["raw"].matches + texts["action"].matches},
            has_facts=self.facts is not None,
            has_recording=has_recording(self.episode),
        )

    @property
    def open_panel(self) -> str:
        """The panel that is open until the reader chooses another."""
        if not self.has_tree and not self.episode.has_page and self._has_prompt:
            return "prompt"  # the only place that shows what the model saw
        has_content = {
            "tree": self.has_tree,
            "usage": self.has_usage,
            "json": bool(self.step.raw or self.step.action),
        }
        return panel_first(self.panels, has_content=has_content)

    @property
    def _has_prompt(self) -> bool:
        return Template(self.episode.group.template).is_known

    # ---- the episode

    @property
    def is_last_of_ended(self) -> bool:
        return self.neighbours.after is None and self.episode.finished_at is not None

    @cached_property
    def answer(self) -> episodes.Answer | None:
        return episodes.episode_answer(self.episode)

    @cached_property
    def updates(self) -> Updates:
        return Updates(self.episode)

    @cached_property
    def timeline(self) -> Timeline:
        return timeline_around(
            episode_id=self.episode.pk, index=self.step.index, gaps=self.updates.gaps, last=self.updates.last
        )

    @cached_property
    def match(self) -> MatchPosition:
        """Where the step stands among the steps that match ``find``."""
        matches = step_matches.steps_matching(episode_id=self.episode.pk, find=self.find)
        return matches.position_of(self.step.index)
