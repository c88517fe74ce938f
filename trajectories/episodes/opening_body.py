"""The body of the call that opens episodes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from trajectories.models import Episode

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1

RECORDING = (
    "What pages report: nothing, page events (if left out), or the DOM too. `recording_full_share` of a run "
    "draws which of its episodes are recorded in full; a call that says `off` or `events` is obeyed."
)

Id = Annotated[int, Meta(ge=1, le=BIGINT_MAX)]
Count = Annotated[int, Meta(ge=1, le=INT_MAX)]


class Guidance(Struct, forbid_unknown_fields=True):
    """Reserved: what of the solution was given away beforehand. Guided episodes are left out of reports."""

    kind: Annotated[str, Meta(max_length=64)]
    fraction: Annotated[float, Meta(ge=0, le=1)]
    hash: Annotated[str, Meta(max_length=128)] = ""


class Opening(Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of ``POST /episodes``; API.md. ``shots``: solved tasks of ``text_few_shot``, 4 if left out.

    ``presentation`` fixes axes of the look. ``task_bar`` false, with ``answer_channel`` ``api``, leaves out
    the bar on the pages of mock sites: they then neither tell the task (the messages do) nor take its
    answer, which is one value for each of the task's ``fields``, in their order.
    """

    run: Id
    tasks: Annotated[list[Id], Meta(min_length=1)]
    arm: str = "gym"
    samples_per_task: Annotated[int, Meta(ge=1, le=10_000)] = 1
    policy_version: Annotated[int, Meta(ge=0, le=INT_MAX)] | None = None
    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None
    max_steps: Count | None = None
    token_budget: Count | None = None
    recording: Annotated[Episode.Recording | None, Meta(description=RECORDING)] = None
    presentation: dict[str, Any] = {}
    looks: Literal["per_group", "per_episode", "rotation"] = "per_group"
    answer_channel: Episode.Channel | None = None
    guidance: Guidance | None = None
    shots: Annotated[int, Meta(ge=1, le=16)] | None = None
