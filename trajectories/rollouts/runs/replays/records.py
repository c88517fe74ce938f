"""Replays of a group, and queries and records of a run's successes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from core.fields import Count, Id, choice
from core.paging import Query
from palaestra.protocol.arms import ARMS

SUCCESSES_MAX = 200
STEPS = ("all", CHANGED := "changed")


class Replayed(Struct):
    """A group with a stored success in place of one of its failures. Nothing of it is a new result."""

    episode: Annotated[int, Meta(description="The stored success.")]
    policy_version: Annotated[int | None, Meta(description="Of the success.")]
    instead_of: Annotated[int, Meta(description="The episode of the group that it replaces.")]
    place: Annotated[int, Meta(description="Where it stands in the two lists, from 0.")]
    episodes: Annotated[list[int], Meta(description="By sample index.")]
    rewards: Annotated[list[float | None], Meta(description="By sample index; null if void.")]
    mean: float
    std: Annotated[float, Meta(description="Sample standard deviation (n - 1) over judged episodes.")]
    degenerate: bool


class SuccessesQuery(Query, kw_only=True):
    limit: Annotated[
        int, Meta(ge=1, le=SUCCESSES_MAX, description=f"Results per page, at most {SUCCESSES_MAX}.")
    ] = 100
    task: Annotated[Id | UnsetType, Meta(description="An id.")] = UNSET
    arm: Annotated[
        Annotated[str, choice(ARMS)] | UnsetType, Meta(description="Missing: all but the probes.")
    ] = UNSET
    policy_version_min: Count | UnsetType = UNSET
    steps: Annotated[
        str,
        choice(STEPS),
        Meta(description="`changed` leaves out those after which the screen was as before."),
    ] = STEPS[0]


class SuccessRecord(Struct):
    """An episode whose verdict is correct, played from its start and without help."""

    episode: int
    task: int
    group: int
    arm: str
    policy_version: int | None
    finished_at: datetime
    steps_total: int
    steps: Annotated[list[int], Meta(description="Indexes of the steps to train on.")]


class SuccessPage(Struct):
    """A page may hold fewer results than its limit although others follow."""

    results: list[SuccessRecord]
    next: Annotated[str | None, Meta(description="Send as `cursor` to continue; null at the end.")]
