"""Which tasks to play next and why, and groups as they complete."""

from __future__ import annotations

from typing import Any

import msgspec

from palaestra.rewards import Rewards


class RecentResults(msgspec.Struct, frozen=True, kw_only=True):
    """Of the newest judged episodes of a task."""

    judged: int
    mean_reward: float | None = None


class DrawnTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that a sampler chose, and why; ``max_steps`` None leaves the budget to the task. It is opened
    with ``guidance``, if there is any."""

    task: int
    samples_per_task: int
    max_steps: int | None = None
    why: dict[str, Any] = {}
    guidance: dict[str, Any] | None = None


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """A draw of a sampler; ``position`` is how much of the run's verdict stream it knew."""

    sampler: int
    number: int
    position: int
    policy_version: int | None = None
    items: list[DrawnTask]
    summary: dict[str, Any] = {}

    @property
    def openings(self) -> list[dict[str, Any]]:
        """Arguments ``tasks``, ``samples_per_task``, ``max_steps`` and, where it is given,
        ``guidance`` of ``episodes_open``, one call for all tasks that agree in the others."""
        alike: dict[Any, dict[str, Any]] = {}
        for item in self.items:
            opening: dict[str, Any] = {"samples_per_task": item.samples_per_task, "max_steps": item.max_steps}
            if item.guidance is not None:
                opening["guidance"] = item.guidance
            alike.setdefault(msgspec.json.encode(opening), {"tasks": [], **opening})["tasks"].append(
                item.task
            )
        return list(alike.values())


class Sampler(msgspec.Struct, frozen=True, kw_only=True):
    """What chooses a run's next tasks; ``size`` is the number of tasks, ``draws`` that of draws made."""

    id: int
    run: int
    seed: int
    plan: dict[str, Any]
    tasks: dict[str, Any]
    splits: list[str] = []
    size: int
    draws: int = 0
    position: int = 0


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """A group with a stored success at ``place``, ``instead_of`` one of its own failures: ``episodes`` and
    their ``rewards`` by sample index. ``policy_version`` is the success's."""

    episode: int
    policy_version: int | None = None
    instead_of: int
    place: int
    episodes: list[int]
    rewards: list[float | None]
    mean: float
    std: float
    degenerate: bool = False


class Success(msgspec.Struct, frozen=True, kw_only=True):
    """A correct episode of a run; ``steps`` are the indexes of those to train on."""

    episode: int
    task: int
    group: int
    arm: str
    policy_version: int | None = None
    finished_at: str
    steps_total: int
    steps: list[int] = []


class GroupState(msgspec.Struct, frozen=True, kw_only=True):
    """A group as it completes. ``degenerate``: two or more samples were judged, and all their rewards are the
    same. A group with fewer ``judged`` ones is not, and teaches as little: see ``teaches``. ``replayed`` is
    the group to train on instead, where its run replays successes and has one. ``origin`` is "plain" if all
    its episodes are, else "taken_over", "guided" or "forked", the first that one of them is. ``paid`` has
    what each episode is paid, by sample index, where the run or the call names a profile."""

    group: int
    task: int
    size: int
    judged: int = 0
    void: int = 0
    rewards: list[float | None] = []
    mean: float | None = None
    std: float | None = None
    policy_version: list[int | None] | None = None
    degenerate: bool = False
    origin: str = "plain"
    replayed: Replayed | None = None
    paid: list[Rewards] | None = None

    @property
    def teaches(self) -> bool:
        """Return whether its own rewards differ."""
        return self.judged > 1 and not self.degenerate
