"""The bodies of the calls that fork episodes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from core.fields import Id, Positive
from core.integers import INT_MAX
from core.struct_schema import limit
from trajectories.rollouts.episodes.creation_body import Guidance

SAMPLES_MAX = 10_000


class ForkSettings(Struct, forbid_unknown_fields=True, kw_only=True):
    """``step``: the parent's last step that the forks inherit, 0 for none. Their own steps are numbered on
    from there, and ``max_steps`` and ``token_budget`` count from the parent's beginning; both, and ``run``,
    are the parent's unless given. ``run`` may be another one that shows pages and takes actions the same way.
    ``guidance`` stands in place of the parent's, which a fork keeps without.
    """

    step: Annotated[int, Meta(ge=0, le=INT_MAX)]
    count: Annotated[int, Meta(ge=1, le=SAMPLES_MAX)] = 1
    run: Id | None = None
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    max_steps: Positive | None = None
    token_budget: Positive | None = None
    guidance: Guidance | None = None


class Fork(ForkSettings, forbid_unknown_fields=True, kw_only=True):
    """Forks of one ``episode``, which are a group."""

    episode: Id


class Forks(Struct, forbid_unknown_fields=True):
    """Forks of several episodes, opened all together or not at all."""

    forks: Annotated[list[Fork], Meta(min_length=1), limit("FORKS_PER_CALL_MAX")]
