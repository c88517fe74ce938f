"""The body of the call that stores an abstraction, and its records."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from core.fields import Id
from core.paging import Query
from trajectories.rollouts.episodes.creation_body import GUIDANCE_CHARS


class AbstractionIn(Struct, forbid_unknown_fields=True, kw_only=True):
    """``run`` and ``episode`` are the policy's that wrote it; a person's has neither. Of an episode the run
    is known."""

    task: Id
    text: Annotated[str, Meta(min_length=1, max_length=GUIDANCE_CHARS)]
    run: Id | None = None
    episode: Id | None = None


class Solvers(Struct):
    """Episodes that had the abstraction as guidance, in ``runs``. ``mean`` is ``correct`` of ``judged``, the
    reward of whoever wrote it; null without any. Void ones are in neither."""

    runs: list[int]
    opened: int
    judged: int
    correct: int
    mean: float | None


class AbstractionRecord(Struct):
    """``text`` is null for keys without the scope `guidance` or `golds`; ``author`` names the key."""

    id: int
    task: int
    text: str | None
    sha256: str
    author: str
    run: int | None
    episode: int | None
    created_at: str
    solvers: Solvers


class AbstractionPage(Struct):
    """``next`` is null on the last page."""

    results: list[AbstractionRecord]
    next: str | None


class AbstractionsQuery(Query, kw_only=True):
    task: Id | UnsetType = UNSET
    run: Annotated[Id | UnsetType, Meta(description="Of the policy that wrote them.")] = UNSET


class Share(Struct):
    """``mean`` is over ``tasks``, each with the mean of its judged ``episodes``; null without any."""

    tasks: int
    episodes: int
    mean: float | None


class AbstractionReport(Struct, rename={"with_": "with"}):
    """A solver's run on the tasks that it played with abstractions: with them, without any guidance, and with
    the best abstraction of each task. With few samples the best is too high: it is the greatest of several
    noisy means. ``written_in`` are the runs of the policies that wrote them.
    """

    with_: Share
    without: Share
    best: Share
    written_in: list[int]
