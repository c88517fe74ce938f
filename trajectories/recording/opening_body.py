"""The body of the call that opens episodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1

Id = Annotated[int, Meta(ge=1, le=BIGINT_MAX)]
Count = Annotated[int, Meta(ge=1, le=INT_MAX)]


class Guidance(Struct, forbid_unknown_fields=True):
    """Reserved: what of the solution was given away beforehand. Guided episodes are left out of reports."""

    kind: Annotated[str, Meta(max_length=64)]
    fraction: Annotated[float, Meta(ge=0, le=1)]
    hash: Annotated[str, Meta(max_length=128)] = ""


class Opening(Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of ``POST /episodes``; API.md. ``shots``: solved tasks of ``text_few_shot``, 4 if left out."""

    run: Id
    tasks: Annotated[list[Id], Meta(min_length=1)]
    arm: str = "gym"
    samples_per_task: Annotated[int, Meta(ge=1, le=10_000)] = 1
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None
    max_steps: Count | None = None
    token_budget: Count | None = None
    recording: Literal["off", "events", "full"] = "events"
    presentation: dict[str, Any] = {}
    looks: Literal["per_group", "per_episode", "rotation"] = "per_group"
    answer_channel: Literal["page", "api"] | None = None
    guidance: Guidance | None = None
    shots: Annotated[int, Meta(ge=1, le=16)] | None = None
