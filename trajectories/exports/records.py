"""Bodies, queries and records of the calls about exports."""

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
    """Steps, and episodes by their steps, by what counts as a label: the adjudicated, or what most say."""

    project: Annotated[Id, Meta(description="The annotation project.")]
    field: Annotated[str, string(NAME_CHARS), Meta(description="Of its codebook: `type`, for instance.")]
    weights: Annotated[
        Weights,
        Meta(
            description="Of the answers that count, such as `{reasoning: 1, mixed: 0.5}`; others are left "
            "out."
        ),
    ]


class RevisionIn(Body, kw_only=True):
    """A revision thought: of one episode after its first bad step, or of any."""

    text: Annotated[str, string(TEXT_CHARS)]
    episode: Annotated[Id | UnsetType, Meta(description="The incorrect episode.")] = UNSET
    step: Annotated[
        Positive | UnsetType, Meta(description="Its first bad step, counted from the beginning.")
    ] = UNSET


class ExportIn(Body, kw_only=True):
    """A kind, and filters. An empty or missing list filters nothing, but for ``outcomes`` and ``origins``."""

    kind: Annotated[str, string(32), Meta(description="One of `GET /api/v1/exports/kinds`.")]
    format: Annotated[str, choice(FORMATS)] | UnsetType = UNSET
    runs: Annotated[Annotated[list[Id], _MANY] | UnsetType, Meta(description="Ids.")] = UNSET
    benchmarks: Annotated[Names | UnsetType, Meta(description="Ids.")] = UNSET
    splits: Annotated[
        Names | UnsetType,
        Meta(
            description="Those that are not for training (`train`, `starter`, `generated` and the like) are "
            "locked."
        ),
    ] = UNSET
    arms: Annotated[
        Annotated[list[Annotated[str, choice(ARMS)]], _MANY] | UnsetType, Meta(description="The arms.")
    ] = UNSET
    outcomes: Annotated[
        Annotated[list[Annotated[str, choice(Verdict.Outcome.values)]], _MANY] | UnsetType,
        Meta(description="Empty or missing: those that the kind takes by default."),
    ] = UNSET
    origins: Annotated[
        Annotated[list[Annotated[str, choice(Origin.values)]], _MANY] | UnsetType,
        Meta(
            description="`plain`, `forked`, `guided` (guided forks too), which needs the scope `guidance` or "
            "`golds`, or `taken_over` (whatever a person ever acted in; what is guided too needs both "
            "named). Empty or missing: those that the kind takes by default, most of them `plain` alone."
        ),
    ] = UNSET
    policy_version_min: Count | UnsetType = UNSET
    policy_version_max: Count | UnsetType = UNSET
    opened_from: Time | UnsetType = UNSET
    opened_before: Time | UnsetType = UNSET
    labels: Annotated[
        LabelsIn | UnsetType, Meta(description="Rows say their weight in the column `weight`.")
    ] = UNSET
    pairs_max: Annotated[
        int, Meta(ge=1, le=PAIRS_LIMIT, description="Per group or task, of kinds of pairs.")
    ] = PAIRS_MAX
    revisions: Annotated[
        Annotated[list[RevisionIn], Meta(max_length=REVISIONS_MAX)] | UnsetType,
        Meta(description="Thoughts for `splices`."),
    ] = UNSET
    segments: Annotated[
        Annotated[list[Annotated[str, choice(Step.Segment.values)]], _MANY] | UnsetType,
        Meta(
            description="Of `sft_steps`, with the origin `taken_over`: a person's steps of these segments "
            "alone."
        ),
    ] = UNSET
    reward_profile: Annotated[
        str, string(REFERENCE_CHARS, may_be_blank=True), Meta(description="Of `rewards`: what pays.")
    ] = ""
    seed: Annotated[int, Meta(ge=0, le=SEED_MAX, description="Of the choice of pairs.")] = 0
    golds: Annotated[bool, Meta(description="A column with the gold. Needs the scope `golds`.")] = False
    locked: Annotated[
        bool, Meta(description="Locked splits too. Needs the scope `admin`, and stays on record.")
    ] = False


class KindRecord(Struct):
    id: str
    title: str
    description: str
    unit: Annotated[str, Meta(description="What rows are made of: `episode`, `group` or `task`.")]
    columns: Annotated[dict[str, Any], Meta(description="Types by name.")]
    outcomes: Annotated[list[str], Meta(description="That it takes by default.")]
    origins: Annotated[list[str], Meta(description="That it takes by default.")]
    options: Annotated[list[str], Meta(description="That it has besides filters.")]


class KindList(Struct):
    results: list[KindRecord]


class ExportFileRecord(Struct):
    name: str
    sha256: str
    bytes: int
    rows: Annotated[int, Meta(description="0 of the manifest.")]


class ExportRecord(Struct):
    id: int
    kind: str
    parameters: dict[str, Any]
    state: Export.State
    done: Annotated[int, Meta(description="Units done.")]
    total: Annotated[int, Meta(description="Units in all; 0 before it begins.")]
    problem: Annotated[str, Meta(description="Why it failed.")]
    rows: Annotated[int | None, Meta(description="Null before it is done.")]
    left_out: Annotated[
        dict[str, Any], Meta(description="How many episodes, steps or pairs are left out, by reason.")
    ]
    files: Annotated[list[ExportFileRecord], Meta(description="The manifest first; empty before it is done.")]
    author: Annotated[str, Meta(description="The name of the key or the user.")]
    has_golds: bool
    has_locked: bool
    created_at: Moment
    finished_at: Moment | None
    expires_at: Annotated[Moment | None, Meta(description="From then on its files may be deleted.")]


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
