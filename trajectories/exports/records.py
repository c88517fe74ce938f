"""Bodies, queries and records of the calls about exports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from core.fields import (
    CountField,
    IdField,
    JsonObjectField,
    StrictSerializer,
    SuggestingChoiceField,
    TextField,
    TruthField,
    WeightsField,
)
from core.paging import Query
from palaestra.protocol.arms import ARMS
from trajectories.exports.formats import FORMATS
from trajectories.exports.parameters import PAIRS_MAX, TEXT_CHARS
from trajectories.exports.revisions import REVISIONS_MAX
from trajectories.models import Export, Step, Verdict
from trajectories.models.origins import Origin
from trajectories.rewards.api import REFERENCE_CHARS

NAME_CHARS = 64
NAMES_MAX = 1_000
PAIRS_LIMIT = 1_000
SEED_MAX = 2**31 - 1


def _list(child: serializers.Field[Any, Any, Any, Any], help_text: str) -> serializers.ListField:
    return serializers.ListField(child=child, required=False, max_length=NAMES_MAX, help_text=help_text)


def _choices(names: Iterable[str]) -> SuggestingChoiceField:
    return SuggestingChoiceField(choices=list(names))


class LabelsIn(StrictSerializer):
    """Steps, and episodes by their steps, by what counts as a label: the adjudicated, or what most say."""

    project = IdField(help_text="The annotation project.")
    field = TextField(max_length=NAME_CHARS, help_text="Of its codebook: `type`, for instance.")
    weights = WeightsField(
        help_text="Of the answers that count, such as `{reasoning: 1, mixed: 0.5}`; others are left out."
    )


class RevisionIn(StrictSerializer):
    """A revision thought: of one episode after its first bad step, or of any."""

    text = TextField(max_length=TEXT_CHARS)
    episode = IdField(required=False, help_text="The incorrect episode.")
    step = CountField(
        required=False, min_value=1, help_text="Its first bad step, counted from the beginning."
    )


class ExportIn(StrictSerializer):
    """A kind, and filters. An empty or missing list filters nothing, but for ``outcomes`` and ``origins``."""

    kind = TextField(max_length=32, help_text="One of `GET /api/v1/exports/kinds`.")
    format = SuggestingChoiceField(choices=list(FORMATS), required=False)
    runs = _list(IdField(), "Ids.")
    benchmarks = _list(TextField(max_length=NAME_CHARS), "Ids.")
    splits = _list(
        TextField(max_length=NAME_CHARS),
        "Those that are not for training (`train`, `starter`, `generated` and the like) are locked.",
    )
    arms = _list(_choices(ARMS), "The arms.")
    outcomes = _list(
        _choices(Verdict.Outcome.values), "Empty or missing: those that the kind takes by default."
    )
    origins = _list(
        _choices(Origin.values),
        "`plain`, `forked`, `guided` (guided forks too), which needs the scope `guidance` or `golds`, or "
        "`taken_over` (whatever a person ever acted in; what is guided too needs both named). "
        "Empty or missing: those that the kind takes by default, most of them `plain` alone.",
    )
    policy_version_min = CountField(required=False)
    policy_version_max = CountField(required=False)
    opened_from = serializers.DateTimeField(required=False)
    opened_before = serializers.DateTimeField(required=False)
    labels = LabelsIn(required=False, help_text="Rows say their weight in the column `weight`.")
    pairs_max = CountField(
        min_value=1,
        max_value=PAIRS_LIMIT,
        default=PAIRS_MAX,
        help_text="Per group or task, of kinds of pairs.",
    )
    revisions = serializers.ListField(
        child=RevisionIn(), required=False, max_length=REVISIONS_MAX, help_text="Thoughts for `splices`."
    )
    segments = _list(
        _choices(Step.Segment.values),
        "Of `sft_steps`, with the origin `taken_over`: a person's steps of these segments alone.",
    )
    reward_profile = TextField(
        max_length=REFERENCE_CHARS, default="", allow_blank=True, help_text="Of `rewards`: what pays."
    )
    seed = CountField(max_value=SEED_MAX, default=0, help_text="Of the choice of pairs.")
    golds = TruthField(default=False, help_text="A column with the gold. Needs the scope `golds`.")
    locked = TruthField(
        default=False, help_text="Locked splits too. Needs the scope `admin`, and stays on record."
    )


class KindRecord(serializers.Serializer[Any]):
    id = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    unit = serializers.CharField(help_text="What rows are made of: `episode`, `group` or `task`.")
    columns = JsonObjectField(help_text="Types by name.")
    outcomes = serializers.ListField(child=serializers.CharField(), help_text="That it takes by default.")
    origins = serializers.ListField(child=serializers.CharField(), help_text="That it takes by default.")
    options = serializers.ListField(child=serializers.CharField(), help_text="That it has besides filters.")


class KindList(serializers.Serializer[Any]):
    results = KindRecord(many=True)


class ExportFileRecord(serializers.Serializer[Any]):
    name = serializers.CharField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    rows = serializers.IntegerField(help_text="0 of the manifest.")


class ExportRecord(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    parameters = JsonObjectField()
    state = serializers.ChoiceField(choices=Export.State.values)
    done = serializers.IntegerField(help_text="Units done.")
    total = serializers.IntegerField(help_text="Units in all; 0 before it begins.")
    problem = serializers.CharField(help_text="Why it failed.")
    rows = serializers.IntegerField(allow_null=True, help_text="Null before it is done.")
    left_out = JsonObjectField(help_text="How many episodes, steps or pairs are left out, by reason.")
    files = ExportFileRecord(many=True, help_text="The manifest first; empty before it is done.")
    author = serializers.CharField(help_text="The name of the key or the user.")
    has_golds = serializers.BooleanField()
    has_locked = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="From then on its files may be deleted."
    )


class ExportPage(serializers.Serializer[Any]):
    results = ExportRecord(many=True)
    next = serializers.CharField(allow_null=True)


class ExportsQuery(Query):
    pass


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
