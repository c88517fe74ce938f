"""The times and tokens that were posted with a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from trajectories.models import Step

TOKENS = ("prompt", "completion", "reasoning", "cached")


@dataclass(frozen=True, kw_only=True)
class StepUsage:
    """Usage of a step; ``has_page`` if the episode took its steps in a browser."""

    step: Step
    has_page: bool

    @cached_property
    def times(self) -> list[tuple[str, float]]:
        """Names and milliseconds; times that were not posted are left out."""
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
        """Return whether anything was posted."""
        posted = (self.step.policy_version, self.step.started_at)
        return bool(self.times or self.tokens) or any(value is not None for value in posted)

    @property
    def _more(self) -> Mapping[str, object]:
        return self.step.more if isinstance(self.step.more, Mapping) else {}
