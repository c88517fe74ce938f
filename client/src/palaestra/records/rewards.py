"""Records of rewards: components of episodes, profiles, and payments of episodes."""

from __future__ import annotations

from typing import Any

import msgspec

Numbers = dict[str, float | None]
"""Values by name. Inapplicable ones are missing; None stands for one that could not be computed."""


class PaidStep(msgspec.Struct, frozen=True, kw_only=True):
    """``components`` are those with a value for this step; ``paid`` is None if the total is."""

    step: int
    paid: float | None = None
    components: Numbers = {}


class Rewards(msgspec.Struct, frozen=True, kw_only=True):
    """The payment of an ended episode under ``profile``, a name with the hash of its content.

    ``total`` is None, never 0, if the verdict is void or a component that counts could not be computed.
    """

    episode: int
    profile: str
    total: float | None = None
    terms: Numbers = {}
    components: Numbers = {}
    steps: list[PaidStep] = []
    sources: dict[str, str] = {}

    def paid_at(self, step: int) -> float | None:
        """Return the part of the total that goes to a step, often 0; None if the total is unknown."""
        if self.total is None:
            return None
        return next((paid.paid for paid in self.steps if paid.step == step), 0.0)


class RewardComponent(msgspec.Struct, frozen=True, kw_only=True):
    """``high`` is None for unbounded values. Components of a family (``is_family``) are named ``id/name``."""

    id: str
    title: str = ""
    description: str = ""
    unit: str = ""
    reads: str = ""
    level: str = "episode"
    low: float = 0.0
    high: float | None = None
    is_family: bool = False
    version: int = 1


class LearnedReward(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was fitted to verdicts and to labels of people.

    ``component`` names its values, and ``card`` has its measurements. Only with ``may_pay`` may a profile of
    a training run use it.
    """

    component: str
    name: str
    sha256: str
    may_pay: bool
    created_at: str = ""
    card: dict[str, Any] = {}


class JudgeRate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of ``units`` with its 95% interval; None of zero units."""

    value: float | None
    low: float = 0.0
    high: float = 1.0
    units: int = 0


class JudgeCriterion(msgspec.Struct, frozen=True, kw_only=True):
    """A component that a judge grades.

    Rates are against people's labels, None before it was certified; ``is_fooled`` is None before it was
    attacked with texts that ask for a grade. With ``problems`` it may not pay training runs.
    """

    component: str
    kind: str = "outcome"
    question: str = ""
    is_certified: bool | None = None
    true_positive: JudgeRate | None = None
    true_negative: JudgeRate | None = None
    attempts_attacked: int = 0
    is_fooled: bool | None = None
    problems: list[str] = []


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A model that grades by a rubric; ``sha256`` covers everything that determines its grades."""

    name: str
    sha256: str
    model: str = ""
    criteria: list[JudgeCriterion] = []


class RewardProfile(msgspec.Struct, frozen=True, kw_only=True):
    """``reference`` always means this very profile; its name alone means the newest of that name."""

    reference: str
    sha256: str
    profile: dict[str, Any]
