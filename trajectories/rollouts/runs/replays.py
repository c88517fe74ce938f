"""Replays of successes: their plans, and the successes that a run learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import fmean, stdev
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from core.api.paging import Query
from core.database.sql import Statement
from core.errors import GymError
from core.structs.bodies import Body, body_read
from core.structs.fields import STRICT, Count, FieldError, Id, choice
from palaestra.protocol.arms import ARMS, PROBE_ARMS
from palaestra.protocol.outcomes import CORRECT, INCORRECT, REWARDS
from trajectories.models import Run

REPLAY = "replay"
RULES = ("recent", "shortest", "random")
SIZE_MAX = 1_000
_Share = Annotated[float, Meta(ge=0, le=1, extra={STRICT: True})]
SUCCESSES_MAX = 200
STEPS = ("all", CHANGED := "changed")
SCAN_MAX = 20_000
"""Number of positions of the verdict stream that one page of successes reads, at most."""
SIZE, STD_BELOW, MEAN_BELOW = 8, 0.05, 0.2


@dataclass(frozen=True, kw_only=True)
class ReplayPlan:
    """A plan for replays.

    The newest ``size`` successes of a task and arm are stored. None is more than ``max_age`` policy versions
    older than the group (None: of any age). ``rule`` chooses one of them."""

    size: int
    rule: str
    max_age: int | None
    std_below: float
    mean_below: float

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of ``replays.sql``."""
        return asdict(self)


class ReplayIn(Body, kw_only=True):
    """The setting ``replay`` of a run, stored with its defaults."""

    size: Annotated[int, Meta(ge=1, le=SIZE_MAX)] = SIZE
    rule: Annotated[str, choice(RULES)] = RULES[0]
    max_age: Count | None = None
    std_below: _Share = STD_BELOW
    mean_below: _Share = MEAN_BELOW


def replay_read(setting: Any) -> dict[str, Any] | None:
    """Return the setting with its defaults; null turns replay off. Raises ``FieldError``."""
    if setting is None:
        return None
    try:
        return body_read(ReplayIn, setting)
    except GymError as error:
        field, [message, *_] = next(iter(error.fields.items()))
        raise FieldError(REPLAY if field == "body" else f"{REPLAY}.{field}", message) from None


def plan_of(run: Run) -> ReplayPlan | None:
    """Return the plan of a run, or None if it does not replay.

    Runs of older versions may have anything under this name. A setting that is not a plan is ignored.
    """
    try:
        return ReplayPlan(**body_read(ReplayIn, run.settings.get(REPLAY)))
    except GymError:
        return None


class Replayed(Struct):
    """A group with a stored success in place of one of its failures. It contains no new result."""

    episode: Annotated[int, Meta(description="The stored success.")]
    policy_version: Annotated[int | None, Meta(description="Policy version of the success.")]
    instead_of: Annotated[int, Meta(description="The group's episode that it replaces.")]
    place: Annotated[int, Meta(description="Its position in the two lists, from 0.")]
    episodes: Annotated[list[int], Meta(description="In the order of sample indexes.")]
    rewards: Annotated[
        list[float | None], Meta(description="In the order of sample indexes; null for void episodes.")
    ]
    mean: float
    std: Annotated[float, Meta(description="Sample standard deviation (n - 1) over judged episodes.")]
    degenerate: bool


class SuccessesQuery(Query, kw_only=True):
    limit: Annotated[
        int, Meta(ge=1, le=SUCCESSES_MAX, description=f"Results per page, at most {SUCCESSES_MAX}.")
    ] = 100
    task: Annotated[Id | UnsetType, Meta(description="An id.")] = UNSET
    arm: Annotated[
        Annotated[str, choice(ARMS)] | UnsetType, Meta(description="By default all arms except probes.")
    ] = UNSET
    policy_version_min: Count | UnsetType = UNSET
    steps: Annotated[
        str, choice(STEPS), Meta(description="`changed` leaves out steps that did not change the screen.")
    ] = STEPS[0]


class SuccessRecord(Struct):
    """An episode that was played from its start, without help, and judged correct."""

    episode: int
    task: int
    group: int
    arm: str
    policy_version: int | None
    finished_at: datetime
    steps_total: int
    steps: Annotated[list[int], Meta(description="Indexes of the steps to train on.")]


class SuccessPage(Struct):
    """A page of successes. It may contain fewer results than its limit although more follow."""

    results: list[SuccessRecord]
    next: Annotated[str | None, Meta(description="Send as `cursor` to continue; null at the end.")]


REPLAYS = Statement(__file__, "replays")
SUCCESSES = Statement(__file__, "successes")


def read_replays(*, run_id: int, groups: Sequence[int], plan: ReplayPlan) -> dict[int, Replayed]:
    """Return replays by group.

    Only completed groups have a replay, if they are degenerate or nearly so, mostly wrong, and of a task with
    a stored success."""
    rows = REPLAYS.rows(run=run_id, groups=list(groups), **plan.parameters())
    return {row[0]: _replay(*row[1:]) for row in rows}


def _replay(
    episodes: Sequence[int], rewards: Sequence[float | None], success: int, policy_version: int | None
) -> Replayed:
    """Replace the first incorrect sample with the success."""
    place = rewards.index(REWARDS[INCORRECT])
    mixed = [*rewards[:place], REWARDS[CORRECT], *rewards[place + 1 :]]
    judged = [reward for reward in mixed if reward is not None]
    return Replayed(
        episode=success,
        policy_version=policy_version,
        instead_of=episodes[place],
        place=place,
        episodes=[*episodes[:place], success, *episodes[place + 1 :]],
        rewards=mixed,
        mean=fmean(judged),
        std=stdev(judged),
        degenerate=len(set(judged)) == 1,
    )


def successes_before(
    *,
    run_id: int,
    before: int,
    limit: int,
    splits: Sequence[str] = (),
    task: int | None = None,
    arm: str = "",
    policy_version_min: int | None = None,
    steps: str = "",
) -> tuple[list[SuccessRecord], int | None]:
    """Return a run's successes ``before`` a position in its verdict stream, newest first.

    Also returns the position before which the next page begins, None at the end. A page reads at most
    ``SCAN_MAX`` positions, so it may contain fewer than ``limit`` successes although more follow.
    """
    lowest = max(1, before - SCAN_MAX)
    rows = SUCCESSES.rows(
        run=run_id,
        before=before,
        lowest=lowest,
        limit=limit,
        tasks=[] if task is None else [task],
        probes=list(PROBE_ARMS),
        arm=arm,
        version_min=policy_version_min,
        splits=list(splits),
        is_changed=steps == CHANGED,
    )
    following = rows[-1][0] if len(rows) == limit else lowest
    return [SuccessRecord(*row[1:]) for row in rows], following if following > 1 else None
