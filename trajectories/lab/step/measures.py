"""The measures of a step and the check of its action."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from trajectories.actions.checks import MISMATCHES
from trajectories.facts.measures import MEASURES, Measure
from trajectories.lab.queries.step_facts import StepLabel, step_facts_get
from trajectories.models import Step, StepFacts


@dataclass(frozen=True, kw_only=True)
class StepMeasures:
    """``target`` describes the element of the step's action; empty if unknown."""

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
        """Each measure that the page shows, with its value."""
        return [(measure, getattr(self.facts, measure.column)) for measure in MEASURES if measure.label]

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
