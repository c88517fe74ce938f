"""Request bodies and response records of the API calls for exports."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from core.structs.bodies import Body
from core.structs.fields import Count, Id, Moment, Positive, Time, Weights, choice, string
from palaestra.protocol.arms import ARMS
from trajectories.exports.formats import FORMATS
from trajectories.exports.parameters import PAIRS_MAX, REVISIONS_MAX, TEXT_CHARS
from trajectories.models import Export, Step, Verdict
from trajectories.models.origins import Origin
from trajectories.rewards.api import REFERENCE_CHARS

NAME_CHARS = 64
NAMES_MAX = 1_000
PAIRS_LIMIT = 1_000
SEED_MAX = 2**31 - 1


_MANY = Meta(max_length=NAMES_MAX)
Names = Annotated[list[Annotated[str, string(NAME_CHARS)]], _MANY]


class LabelsIn(Body, kw_only=True):
    """A filter by the labels of steps, which also applies to episodes through their steps.

    A step's label is the adjudicated answer, or else the majority's answer.
    """

    project: Annotated[Id, Meta(description="The annotation project.")]
    field: Annotated[str, string(NAME_CHARS), Meta(description="A field of its codebook, such as `type`.")]
    weights: Annotated[
        Weights,
        Meta(
            description="The weights of the answers to keep, such as `{reasoning: 1, mixed: 0.5}`; other "
            "answers are left out."
        ),
    ]


class RevisionIn(Body, kw_only=True):
    """A revision thought, for one episode after its first bad step or for any episode."""

    text: Annotated[str, string(TEXT_CHARS)]
    episode: Annotated[Id | UnsetType, Meta(description="The incorrect episode.")] = UNSET
    step: Annotated[
        Positive | UnsetType, Meta(description="Its first bad step, counted from the beginning.")
    ] = UNSET


class ExportIn(Body, kw_only=True):
    """The kind, filters and options of an export.

    Empty or missing lists do not filter, except for ``outcomes`` and ``origins``.
    """

    kind: Annotated[str, string(32), Meta(description="One of `GET /api/v1/exports/kinds`.")]
    format: Annotated[str, choice(FORMATS)] | UnsetType = UNSET
    runs: Annotated[Annotated[list[Id], _MANY] | UnsetType, Meta(description="Ids.")] = UNSET
    benchmarks: Annotated[Names | UnsetType, Meta(description="Ids.")] = UNSET
    splits: Annotated[
        Names | UnsetType,
        Meta(
            description="Splits that are not for training are locked. Training splits are `train`, "
            "`starter`, `generated` and the like."
        ),
    ] = UNSET
    arms: Annotated[
        Annotated[list[Annotated[str, choice(ARMS)]], _MANY] | UnsetType, Meta(description="The arms.")
    ] = UNSET
    outcomes: Annotated[
        Annotated[list[Annotated[str, choice(Verdict.Outcome.values)]], _MANY] | UnsetType,
        Meta(description="If empty or missing, the outcomes that the kind takes by default."),
    ] = UNSET
    origins: Annotated[
        Annotated[list[Annotated[str, choice(Origin.values)]], _MANY] | UnsetType,
        Meta(
            description="`plain`; `forked`; `guided`, which includes guided forks and needs the scope "
            "`guidance` or `golds`; or `taken_over`, for episodes in which a person acted (name both to "
            "include guided ones). If empty or missing, the origins that the kind takes by default, which is "
            "`plain` alone for most kinds."
        ),
    ] = UNSET
    policy_version_min: Count | UnsetType = UNSET
    policy_version_max: Count | UnsetType = UNSET
    opened_from: Time | UnsetType = UNSET
    opened_before: Time | UnsetType = UNSET
    labels: Annotated[
        LabelsIn | UnsetType, Meta(description="The column `weight` has the weight of each row.")
    ] = UNSET
    pairs_max: Annotated[
        int, Meta(ge=1, le=PAIRS_LIMIT, description="Maximum per group or task, for kinds of pairs.")
    ] = PAIRS_MAX
    revisions: Annotated[
        Annotated[list[RevisionIn], Meta(max_length=REVISIONS_MAX)] | UnsetType,
        Meta(description="Thoughts for `splices`."),
    ] = UNSET
    segments: Annotated[
        Annotated[list[Annotated[str, choice(Step.Segment.values)]], _MANY] | UnsetType,
        Meta(
            description="For `sft_steps` with the origin `taken_over`: export only a person's steps in these "
            "segments."
        ),
    ] = UNSET
    reward_profile: Annotated[
        str, string(REFERENCE_CHARS, may_be_blank=True), Meta(description="For `rewards`: its profile.")
    ] = ""
    seed: Annotated[int, Meta(ge=0, le=SEED_MAX, description="Seed for choosing pairs.")] = 0
    golds: Annotated[bool, Meta(description="Add a column with the gold. Needs the scope `golds`.")] = False
    locked: Annotated[
        bool, Meta(description="Include locked splits. Needs the scope `admin`, and is recorded.")
    ] = False


class KindRecord(Struct):
    id: str
    title: str
    description: str
    unit: Annotated[str, Meta(description="What rows are made from: `episode`, `group` or `task`.")]
    columns: Annotated[dict[str, Any], Meta(description="Column types by name.")]
    outcomes: Annotated[list[str], Meta(description="The outcomes that it takes by default.")]
    origins: Annotated[list[str], Meta(description="The origins that it takes by default.")]
    options: Annotated[list[str], Meta(description="The options that it has besides filters.")]


class KindList(Struct):
    results: list[KindRecord]


class ExportFileRecord(Struct):
    name: str
    sha256: str
    bytes: int
    rows: Annotated[int, Meta(description="0 for the manifest.")]


class ExportRecord(Struct):
    id: int
    kind: str
    parameters: dict[str, Any]
    state: Export.State
    done: Annotated[int, Meta(description="Number of units done.")]
    total: Annotated[int, Meta(description="Total number of units; 0 before it begins.")]
    problem: Annotated[str, Meta(description="The reason why it failed.")]
    rows: Annotated[int | None, Meta(description="Null before it is done.")]
    left_out: Annotated[
        dict[str, Any], Meta(description="The number of episodes, steps or pairs left out, by reason.")
    ]
    files: Annotated[list[ExportFileRecord], Meta(description="The manifest first; empty before it is done.")]
    author: Annotated[str, Meta(description="The name of the key or the user.")]
    has_golds: bool
    has_locked: bool
    created_at: Moment
    finished_at: Moment | None
    expires_at: Annotated[Moment | None, Meta(description="After this time its files may be deleted.")]


class ExportPage(Struct):
    results: list[ExportRecord]
    next: str | None


def export_record(export: Export, *, files: list[dict[str, Any]]) -> dict[str, Any]:
    names = ("kind", "parameters", "state", "done", "total", "problem", "author", "has_golds", "has_locked")
    dates = ("created_at", "finished_at", "expires_at")
    return {
        "id": export.pk,
        **{name: getattr(export, name) for name in (*names, *dates)},
        "rows": export.result.get("rows"),
        "left_out": export.result.get("left_out", {}),
        "files": files,
    }
