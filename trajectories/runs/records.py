"""Bodies, queries and records of the calls about runs."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from rest_framework import serializers

from core.errors import did_you_mean
from core.fields import (
    CountField,
    IdField,
    JsonObjectField,
    NumbersField,
    StrictSerializer,
    SuggestingChoiceField,
)
from core.observations import OBSERVATION_FORMATS
from core.paging import Query
from tasks_app.questions import questions
from trajectories.models import Run
from trajectories.models.run import RECORDING_FULL_SHARE, is_share

TOOLS = "tools"
TAGS_MAX = 50
CANCEL_GROUPS_MAX = 10_000
CANCEL_REASONS = ("stale", "overload")
TRAINER_STEP_MAX = 2**63 - 1


class RunIn(StrictSerializer):
    name = serializers.CharField(max_length=200)
    kind = SuggestingChoiceField(choices=Run.Kind.values)
    model = serializers.CharField(max_length=200, default="", allow_blank=True)
    checkpoint = serializers.CharField(max_length=500, default="", allow_blank=True)
    observation = SuggestingChoiceField(choices=list(OBSERVATION_FORMATS), default="", allow_blank=True)
    affordances = JsonObjectField(
        default=dict,
        help_text="What its pages offer besides the question: `{tools: {run: true, sort: true}}`.",
    )
    settings = JsonObjectField(
        default=dict,
        help_text=(
            "Free-form. `recording_full_share` (0 to 1) records that share of the run's episodes in full, "
            "drawn by their seeds, and only the page events of the others."
        ),
    )
    tags = serializers.ListField(
        child=serializers.CharField(max_length=100), default=list, max_length=TAGS_MAX
    )
    simulated = serializers.BooleanField(
        default=False,
        help_text="True for scripted policies, which are marked as simulated wherever they are shown.",
    )

    def validate_settings(self, value: dict[str, Any]) -> dict[str, Any]:
        share = value.get(RECORDING_FULL_SHARE, 0)
        if not is_share(share):
            raise serializers.ValidationError(f'"{RECORDING_FULL_SHARE}" must be a number from 0 to 1.')
        return value

    def validate_affordances(self, value: dict[str, Any]) -> dict[str, Any]:
        """``tools`` are granted by name, so an unknown name would silently grant nothing."""
        for name in value:
            if name != TOOLS and get_close_matches(name, [TOOLS]):
                raise serializers.ValidationError(f'There is no affordance {name!r}. Did you mean "{TOOLS}"?')
        tools = value.get(TOOLS, {})
        if not isinstance(tools, dict) or not all(isinstance(granted, bool) for granted in tools.values()):
            raise serializers.ValidationError('"tools" must be an object of tool names with true or false.')
        known = sorted({tool for _, kind in questions.items() for tool in kind.tools})
        for name in tools:
            if name not in known:
                raise serializers.ValidationError(f"There is no tool {name!r}. {did_you_mean(name, known)}")
        return value


class RunRecord(serializers.Serializer[Run]):
    """``policy_version`` is the newest registered version."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Run.Kind.values)
    model = serializers.CharField()
    checkpoint = serializers.CharField()
    observation = serializers.CharField()
    affordances = JsonObjectField()
    settings = JsonObjectField()
    tags = serializers.ListField(child=serializers.CharField())
    simulated = serializers.BooleanField()
    policy_version = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class EpisodeCounts(serializers.Serializer[Any]):
    open = serializers.IntegerField()
    submitted = serializers.IntegerField()
    finished = serializers.IntegerField()


class RunDetail(RunRecord):
    episodes = EpisodeCounts()
    verdicts = serializers.IntegerField(
        help_text="Verdicts so far: the newest position in the verdict stream."
    )


class RunPage(serializers.Serializer[Any]):
    results = RunRecord(many=True)
    next = serializers.CharField(allow_null=True)


class RunsQuery(Query):
    kind = SuggestingChoiceField(choices=Run.Kind.values, required=False)
    tag = serializers.CharField(max_length=100, required=False)


class PolicyIn(StrictSerializer):
    version = CountField()
    checkpoint = serializers.CharField(max_length=500, default="", allow_blank=True)
    trainer_step = serializers.IntegerField(
        min_value=0, max_value=TRAINER_STEP_MAX, default=None, allow_null=True
    )


class PolicyRecord(serializers.Serializer[Any]):
    run = serializers.IntegerField(source="run_id")
    version = serializers.IntegerField()
    checkpoint = serializers.CharField()
    trainer_step = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class MetricsIn(StrictSerializer):
    policy_version = CountField(default=None, allow_null=True)
    values = NumbersField(help_text="Finite numbers by name.")


class MetricsRecord(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    run = serializers.IntegerField(source="run_id")
    policy_version = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()


class CancelIn(StrictSerializer):
    groups = serializers.ListField(
        child=IdField(), required=False, allow_empty=False, max_length=CANCEL_GROUPS_MAX
    )
    policy_version_before = CountField(
        required=False, help_text="Cancels episodes opened for an older policy version."
    )
    reason = SuggestingChoiceField(choices=CANCEL_REASONS)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("groups" in attrs) == ("policy_version_before" in attrs):
            raise serializers.ValidationError("Send either `groups` or `policy_version_before`.")
        return attrs


class CancelRecord(serializers.Serializer[Any]):
    cancelled = serializers.IntegerField(help_text="How many episodes this call ended.")
    episodes = serializers.ListField(child=serializers.IntegerField())


class GroupsQuery(StrictSerializer):
    after = serializers.IntegerField(
        min_value=0, max_value=2**63 - 1, default=0, help_text="`next` of the previous response; 0 to start."
    )
    limit = CountField(min_value=1, max_value=1_000, default=100)


class GroupRecord(serializers.Serializer[Any]):
    """A group whose episodes have all ended."""

    group = serializers.IntegerField()
    task = serializers.IntegerField()
    size = serializers.IntegerField()
    judged = serializers.IntegerField(help_text="Episodes with a reward.")
    void = serializers.IntegerField()
    rewards = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="By sample index; null if void."
    )
    mean = serializers.FloatField(allow_null=True, help_text="Over judged episodes; null if there are none.")
    std = serializers.FloatField(
        allow_null=True, help_text="Sample standard deviation (n - 1) over judged episodes; null below two."
    )
    policy_version = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Lowest and highest of the episodes and their steps; null if none was given.",
    )
    degenerate = serializers.BooleanField(
        help_text="True if all rewards are equal, so that the group teaches nothing."
    )


class GroupPage(serializers.Serializer[Any]):
    results = GroupRecord(many=True)
    next = serializers.IntegerField(help_text="Send as `after` to continue.")


class MeasureRecord(serializers.Serializer[Any]):
    """A mean over episodes with its 95% interval, clustered by task."""

    name = serializers.CharField(
        source="published_name", help_text="A measure of `behaviour` in a trajectory, or of `said_done`."
    )
    mean = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="Null for a single task.")
    high = serializers.FloatField(allow_null=True)
    episodes = serializers.IntegerField(help_text="How many episodes have this measure.")
    tasks = serializers.IntegerField()


class ArmBehaviour(serializers.Serializer[Any]):
    arm = serializers.CharField()
    measures = MeasureRecord(many=True)


class BehaviourList(serializers.Serializer[Any]):
    results = ArmBehaviour(many=True)
    computed = serializers.IntegerField(help_text="Ended episodes whose measures have been computed.")
    ended = serializers.IntegerField()


class TwinRecord(serializers.Serializer[Any]):
    """Pairs of one family in one arm with both tasks judged. Shares are from 0 to 1."""

    arm = serializers.CharField()
    benchmark = serializers.CharField()
    family = serializers.CharField()
    pairs = serializers.IntegerField()
    possible = serializers.FloatField(help_text="Share of right answers to the possible task.")
    impossible = serializers.FloatField(help_text="Share of right answers to the impossible task.")
    both = serializers.FloatField(help_text="Share of pairs with both right, in independent attempts.")
    low = serializers.FloatField(help_text="95% Wilson interval of `both`, over pairs.")
    high = serializers.FloatField()


class TwinList(serializers.Serializer[Any]):
    results = TwinRecord(many=True)
