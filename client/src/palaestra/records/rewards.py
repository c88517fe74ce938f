"""Records of rewards: the components of episodes, reward profiles, and the payments for episodes."""

from __future__ import annotations

from typing import Any

import msgspec

Numbers = dict[str, float | None]
"""Values by name. Values that do not apply are missing; None is a value that could not be computed."""


class PaidStep(msgspec.Struct, frozen=True, kw_only=True):
    """The payment for one step.

    ``components`` are those that have a value for this step; ``paid`` is None if the episode's total is.
    """

    step: int
    paid: float | None = None
    components: Numbers = {}


class Rewards(msgspec.Struct, frozen=True, kw_only=True):
    """The payment for an ended episode under ``profile``, which is a name with the hash of its content.

    If the verdict is void, or a component that counts could not be computed, ``total`` is None, never 0.
    """

    episode: int
    profile: str
    total: float | None = None
    terms: Numbers = {}
    components: Numbers = {}
    steps: list[PaidStep] = []
    sources: dict[str, str] = {}

    def paid_at(self, step: int) -> float | None:
        """Return the part of the total that is paid for a step, often 0; None if the total is unknown."""
        if self.total is None:
            return None
        return next((paid.paid for paid in self.steps if paid.step == step), 0.0)


class RewardComponent(msgspec.Struct, frozen=True, kw_only=True):
    """A component of rewards.

    ``high`` is None if its values are unbounded. The members of a family (``is_family``) are named
    ``id/name``.
    """

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
    """A model that was fitted to verdicts and to people's labels.

    ``component`` is the name of its values, and ``card`` contains its measurements. The profile of a training
    run may use it only if ``may_pay`` is true.
    """

    component: str
    name: str
    sha256: str
    may_pay: bool
    created_at: str = ""
    card: dict[str, Any] = {}


class JudgeRate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of ``units`` with its 95% interval; all None if there are no units."""

    value: float | None
    low: float = 0.0
    high: float = 1.0
    units: int = 0


class JudgeCriterion(msgspec.Struct, frozen=True, kw_only=True):
    """A component that a judge grades.

    Its rates compare it with people's labels, and are None before it is certified. ``is_fooled`` is None
    until it has been attacked with texts that ask for a grade. A criterion with ``problems`` may not be used
    to pay training runs.
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
    """A reward profile.

    ``reference`` always means exactly this profile; the name alone means the newest profile with that name.
    """

    reference: str
    sha256: str
    profile: dict[str, Any]
