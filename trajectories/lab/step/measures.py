"""A step's measures and its action check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.safestring import SafeString

from trajectories.actions.checks import MISMATCHES
from trajectories.behaviour.facts.measures import MEASURES, Measure
from trajectories.models import Step, StepFacts
from trajectories.shell.queries.step_facts import StepLabel, step_facts_get
from trajectories.shell.text.thoughts import Ribbon, coloured

TOKENS = ("prompt", "completion", "reasoning", "cached")


@dataclass(frozen=True, kw_only=True)
class ThoughtSentences:
    """Sentence classes of a step's thought. ``letters`` has one class per sentence."""

    step: Step
    letters: str

    @property
    def html(self) -> SafeString:
        return coloured(self.step.thought, self.letters)

    @property
    def ribbon(self) -> Ribbon:
        return Ribbon.of([(self.step.index, self.letters)])


@dataclass(frozen=True, kw_only=True)
class StepMeasures:
    """A step's measures. ``target`` describes the element that the action was aimed at; empty if unknown."""

    step: Step
    target: str

    @cached_property
    def _facts(self) -> tuple[StepFacts | None, bool]:
        return step_facts_get(episode_id=self.step.episode_id, index=self.step.index)

    @property
    def facts(self) -> StepFacts | None:
        return self._facts[0]

    @property
    def is_provisional(self) -> bool:
        return self._facts[1]

    @property
    def shown(self) -> list[tuple[Measure, Any]]:
        """The measures that the page shows, each with its value."""
        return [(measure, getattr(self.facts, measure.column)) for measure in MEASURES if measure.label]

    @property
    def sentences(self) -> ThoughtSentences | None:
        """Classes of the thought's sentences; None until they have been computed."""
        letters = self.facts.sentences if self.facts and not self.is_provisional else None
        return ThoughtSentences(step=self.step, letters=letters) if letters else None

    @property
    def is_mismatch(self) -> bool:
        return self.facts is not None and self.facts.action_check in MISMATCHES

    @property
    def label(self) -> StepLabel:
        if self.facts is None:
            return StepLabel(target=self.target)
        return StepLabel(
            target=self.target,
            action_check=self.facts.action_check,
            detail=self.facts.action_check_detail,
            is_provisional=self.is_provisional,
        )


@dataclass(frozen=True, kw_only=True)
class StepUsage:
    """The time and tokens that a step used. ``has_page`` is true if the episode ran in a browser."""

    step: Step
    has_page: bool

    @cached_property
    def times(self) -> list[tuple[str, float]]:
        """Names of the times with their milliseconds; times that were not posted are left out."""
        times = (
            ("Whole step", self.step.duration_ms),
            ("Model", self._more.get("model_ms")),
            ("Page and browser" if self.has_page else "Outside the model", self._more.get("env_ms")),
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

    def __bool__(self) -> bool:
        """Return True if any time or token count was posted."""
        posted = (self.step.policy_version, self.step.started_at)
        return bool(self.times or self.tokens) or any(value is not None for value in posted)

    @property
    def _more(self) -> Mapping[str, object]:
        return self.step.more if isinstance(self.step.more, Mapping) else {}
