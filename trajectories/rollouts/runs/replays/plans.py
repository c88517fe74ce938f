"""The replay of successes: a run's setting under which a stored success replaces a failure.

ARPO keeps 8 successes a task, first in first out, and replaces where a group's standard deviation is
under 0.05 and its mean under 0.2; DART (arXiv 2509.23866) where the whole group fails.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rest_framework import serializers

from core.fields import CountField, StrictSerializer, SuggestingChoiceField
from trajectories.models import Run

REPLAY = "replay"
SIZE, STD_BELOW, MEAN_BELOW = 8, 0.05, 0.2
RULES = ("recent", "shortest", "random")
SIZE_MAX = 1_000


@dataclass(frozen=True, kw_only=True)
class ReplayPlan:
    """The newest ``size`` successes of a task and arm are stored, none more than ``max_age`` policy versions
    older than the group (None: of any age); ``rule`` says which of them is taken."""

    size: int
    rule: str
    max_age: int | None
    std_below: float
    mean_below: float

    def parameters(self) -> dict[str, Any]:
        """Those of ``replays.sql``."""
        return asdict(self)


class _ShareField(serializers.FloatField):
    """A number from 0 to 1; booleans and text, which REST framework would accept, are refused."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=1, **kwargs)

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("This must be a number from 0 to 1.")
        return super().to_internal_value(data)


class ReplayIn(StrictSerializer):
    """``settings.replay`` of a run, stored with its defaults."""

    size = CountField(min_value=1, max_value=SIZE_MAX, default=SIZE)
    rule = SuggestingChoiceField(choices=RULES, default=RULES[0])
    max_age = CountField(default=None, allow_null=True)
    std_below = _ShareField(default=STD_BELOW)
    mean_below = _ShareField(default=MEAN_BELOW)


def replay_read(setting: Any) -> dict[str, Any] | None:
    """The setting with its defaults; null turns replay off. Raises ``ValidationError`` by field."""
    if setting is None:
        return None
    checked = ReplayIn(data=setting)
    if not checked.is_valid():
        raise serializers.ValidationError({REPLAY: checked.errors})
    return dict(checked.validated_data)


def plan_of(run: Run) -> ReplayPlan | None:
    """Return the plan of a run; None without replay.

    Runs of older versions may hold anything of this name: what does not read as a plan is none.
    """
    checked = ReplayIn(data=run.settings.get(REPLAY))
    return ReplayPlan(**checked.validated_data) if checked.is_valid() else None
