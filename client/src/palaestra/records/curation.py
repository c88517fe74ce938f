"""Records of curation: samplers, their draws of tasks, and completed groups."""

from __future__ import annotations

from typing import Any

import msgspec

from palaestra.records.rewards import Rewards


class RecentResults(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a task's newest judged episodes."""

    judged: int
    mean_reward: float | None = None


class DrawnTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that a sampler chose, and the reason.

    If ``max_steps`` is None, the task's own budget applies. Pass ``guidance`` on when opening the task's
    episodes.
    """

    task: int
    samples_per_task: int
    max_steps: int | None = None
    why: dict[str, Any] = {}
    guidance: dict[str, Any] | None = None


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """A sampler's draw. It took into account the run's verdict stream up to ``position``."""

    sampler: int
    number: int
    position: int
    policy_version: int | None = None
    items: list[DrawnTask]
    summary: dict[str, Any] = {}

    @property
    def openings(self) -> list[dict[str, Any]]:
        """Keyword arguments for calls of ``episodes_open``; tasks with the same settings share one call.

        The arguments are ``tasks``, ``samples_per_task``, ``max_steps`` and, if given, ``guidance``.
        """
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
    """A sampler of a run's next tasks, with the number of its tasks (``size``) and of its draws so far."""

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
    """A group in which a stored success replaces a failure.

    ``episode`` is the success, ``place`` its sample index, and ``instead_of`` the failure. ``episodes`` and
    their ``rewards`` are ordered by sample index. ``policy_version`` is that of the success.
    """

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
    """A correct episode of a run; ``steps`` are the indexes of the steps to train on."""

    episode: int
    task: int
    group: int
    arm: str
    policy_version: int | None = None
    finished_at: str
    steps_total: int
    steps: list[int] = []


class GroupState(msgspec.Struct, frozen=True, kw_only=True):
    """A completed group.

    ``degenerate``: at least two samples were judged, and all rewards are equal; for groups with fewer judged
    samples see ``teaches``. ``replayed`` is the group to train on instead, if the run replays successes and
    there is one. ``origin`` is "plain" if all episodes are plain, otherwise the first of "taken_over",
    "guided" and "forked" that applies to any of them. ``paid`` holds the rewards by sample index, if the run
    or the call names a reward profile.
    """

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
        """True if the group's own rewards differ, so that a policy can learn from them."""
        return self.judged > 1 and not self.degenerate
