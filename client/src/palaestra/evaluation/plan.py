"""The analysis plan: the arms and episodes to play and the comparisons to make, fixed in advance."""

from __future__ import annotations

import difflib
import json
import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from palaestra.episode_config import EpisodeConfig
from palaestra.errors import PalaestraError
from palaestra.evaluation.looks import Design, Look, factors_check, looks_make
from palaestra.observation import get_format, observation_id, perceivable_check
from palaestra.protocol import plans
from palaestra.protocol.arms import ARMS, arm_of
from palaestra.protocol.looks import Value
from palaestra.protocol.observations import OBSERVATION_FORMATS, settings_of

POWER = 0.8
ALPHA = 0.05
MARGIN = 5.0
_UNKNOWN = re.compile(r"unknown field `(\w+)`")
LADDER = ("text_zero_shot", "text_agent", "gym_with_text", "gym")


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base class of a plan's parts, which refuse unknown fields."""


class Model(Part, frozen=True, kw_only=True):
    """The model of a plan; ``sampling`` has fields that are sent with every call."""

    name: str
    base_url: str | None = None
    checkpoint: str | None = None
    sampling: dict[str, Any] = {}


class Benchmark(Part, frozen=True, kw_only=True):
    """A benchmark in a plan; its items, ``task_ids``, are the first ``limit`` comparable tasks of a split."""

    slug: str
    split: str | None = None
    limit: int | None = None
    task_ids: list[int]


class Looks(Part, frozen=True, kw_only=True):
    """The looks of a plan; ``factors`` has the values of each axis that varies."""

    design: Design
    count: int
    factors: dict[str, list[Value]]


class SmallestGap(Part, frozen=True, kw_only=True):
    points: float | None
    power: float
    assumptions: dict[str, Any]


class Plan(Part, frozen=True, kw_only=True):
    """An analysis plan.

    ``arms`` may specify their own observation, as in ``gym:som-v1``; each run gets the
    ``observation_settings`` that apply to its observation. ``margin`` is the equivalence margin in points,
    and ``contrasts`` are pairs of arms. With ``retest``, the first text arm is played a second time.
    """

    version: Literal[1] = 1
    name: str
    model: Model
    benchmarks: list[Benchmark]
    arms: list[str]
    observation: str
    observation_settings: dict[str, Any] = {}
    grammar: str
    history: str
    actions_per_turn: int = 1
    token_budget: int | None = None
    answer_check: str | None = None
    samples: int
    looks: Looks
    retest: bool
    exclusions: list[str]
    alpha: float = ALPHA
    margin: float = MARGIN
    contrasts: list[tuple[str, str]]
    smallest_gap: SmallestGap
    seed: int
    created_at: str

    @property
    def all_looks(self) -> list[Look]:
        """The design's looks, in order."""
        design = self.looks
        return looks_make(design.design, count=design.count, factors=design.factors, seed=self.seed)

    @property
    def planned_arms(self) -> list[PlannedArm]:
        return list(map(planned_arm_read, self.arms))

    def find_observation(self, arm: PlannedArm) -> str:
        """Return the observation format of an arm."""
        return arm.observation or self.observation

    def find_settings(self, arm: PlannedArm) -> dict[str, Any]:
        """Return the observation settings that have an effect in an arm."""
        return settings_of(self.observation_settings, get_format(self.find_observation(arm)))

    def build_config(self, arm: PlannedArm) -> EpisodeConfig:
        """Build the settings of an arm's episodes."""
        return EpisodeConfig(
            observation=self.find_observation(arm),
            **self.find_settings(arm),
            grammar=self.grammar,
            history=self.history,
            actions_per_turn=self.actions_per_turn,
            token_budget=self.token_budget,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as it is stored in its file and on the server."""
        plan = dict(msgspec.json.decode(msgspec.json.encode(self)))
        if self.answer_check is None:
            del plan["answer_check"]  # older plans, from before this field existed, keep their hash
        return plan


def plan_sha256(plan: Plan) -> str:
    """Return the SHA-256 by which the server identifies a plan."""
    return plans.plan_sha256(plan.as_json())


def plan_read(path: Path) -> Plan:
    """Read a plan from a file. Raises ``PalaestraError`` if it is invalid."""
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=Plan)
    except (msgspec.ValidationError, msgspec.DecodeError) as failure:
        raise PalaestraError(f"{path}: {failure}.{_suggestion(str(failure))}") from failure
    try:
        plan_check(plan)
    except PalaestraError as failure:
        raise PalaestraError(f"{path}: {failure}") from failure
    return plan


def plan_check(plan: Plan) -> None:
    """Raise ``PalaestraError`` for a plan that cannot be played."""
    factors_check(plan.looks.factors, where="looks")
    arms_check(plan.arms, observation=plan.observation)
    for name in plan.observation_settings:
        if not any(name in plan.find_settings(arm) for arm in plan.planned_arms):
            raise PalaestraError(f"{name} has no effect on any observation in the plan.")


def plan_write(plan: Plan, path: Path) -> None:
    """Write a plan as indented JSON. Raises ``PalaestraError`` if the file exists."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(plan.as_json(), indent=2, ensure_ascii=False) + "\n")
    except FileExistsError as failure:
        raise PalaestraError(f"{path} already exists, and plans are never overwritten.") from failure


def find_differences(left: dict[str, Any], right: dict[str, Any]) -> list[str]:
    """List the fields in which two plans differ, apart from their time of creation."""
    names = sorted({*left, *right} - {"created_at"})
    return [name for name in names if left.get(name) != right.get(name)]


def _suggestion(message: str) -> str:
    match = _UNKNOWN.search(message)
    parts: tuple[type[Part], ...] = (Plan, Model, Benchmark, Looks, SmallestGap)
    names = [name for part in parts for name in part.__struct_fields__]
    near = difflib.get_close_matches(match[1], names, n=1) if match else []
    return f" Did you mean {near[0]!r}?" if near else ""


class PlannedArm(NamedTuple):
    """An arm of a plan; ``observation`` is empty if the arm uses the plan's observation."""

    arm: str
    observation: str = ""

    def __str__(self) -> str:
        """Return the arm's name in plans and reports, such as ``gym`` or ``gym:som-v1``."""
        return f"{self.arm}:{self.observation}" if self.observation else self.arm


def planned_arm_read(text: str) -> PlannedArm:
    """Parse an arm such as ``gym`` or ``gym:som``. Raises ``PalaestraError`` if it is invalid."""
    arm, _, name = text.partition(":")
    if arm not in ARMS:
        raise PalaestraError(f"There is no arm {arm!r}. Arms: {', '.join(ARMS)}.")
    if not name:
        return PlannedArm(arm)
    if not arm_of(arm).has_page:
        raise PalaestraError(f"The arm {arm} has no page, and so no observation: write {arm}.")
    observation = observation_id(name)
    if observation not in OBSERVATION_FORMATS:
        raise PalaestraError(
            f"{text}: there is no observation {name!r}. Known: {', '.join(OBSERVATION_FORMATS)}."
        )
    return PlannedArm(arm, observation)


def arms_check(arms: list[str], *, observation: str) -> None:
    """Raise ``PalaestraError`` for arms that cannot be played with the plan's observation or their own."""
    if not arms:
        raise PalaestraError("A plan needs at least one arm.")
    if len(set(arms)) < len(arms):
        raise PalaestraError("The plan names an arm twice.")
    for planned in map(planned_arm_read, arms):
        if planned.observation == observation:
            raise PalaestraError(f"{planned} names the plan's own observation: write {planned.arm}.")
        try:
            perceivable_check(planned.arm, planned.observation or observation)
        except PalaestraError as blind:
            raise PalaestraError(f"{blind} Name one for this arm, such as {planned.arm}:som.") from blind
