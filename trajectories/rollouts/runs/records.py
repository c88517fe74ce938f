"""Bodies, queries and records of the calls about runs."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any

from msgspec import Meta, Struct
from rest_framework import serializers

from core import answer_check
from core.fields import (
    CountField,
    HistoryField,
    IdField,
    JsonObjectField,
    NumbersField,
    StrictSerializer,
    SuggestingChoiceField,
    TextField,
    TruthField,
)
from core.observation_settings import ObservationSettings, settings_check
from core.paging import Query
from palaestra.protocol import grammars, histories
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.questions import questions
from trajectories.models import Run
from trajectories.models.origins import Origin
from trajectories.models.run import RECORDING_FULL_SHARE, is_share
from trajectories.reports.paired_tasks import PairedTally
from trajectories.rewards.api import PROFILE_HELP, REFERENCE_CHARS
from trajectories.rewards.profiles.store import SETTING as PROFILE
from trajectories.rewards.selectors import Rewards
from trajectories.rollouts.runs.replays.plans import REPLAY, replay_read
from trajectories.rollouts.runs.replays.records import Replayed

TOOLS = "tools"
TAGS_MAX = 50
CANCEL_GROUPS_MAX = 10_000
CANCEL_REASONS = ("stale", "overload")
ACTIONS_PER_TURN_MAX = 20
SIZES_MAX = 1_000
SIZE_MAX = 2**53
TRAINER_STEP_MAX = 2**63 - 1


class RunIn(StrictSerializer):
    name = TextField(max_length=200)
    kind = SuggestingChoiceField(choices=Run.Kind.values)
    model = TextField(max_length=200, default="", allow_blank=True)
    checkpoint = TextField(max_length=500, default="", allow_blank=True)
    observation = SuggestingChoiceField(choices=list(OBSERVATION_FORMATS), default="", allow_blank=True)
    observation_settings = ObservationSettings(default=dict)
    grammar = SuggestingChoiceField(choices=list(grammars.GRAMMARS), default=grammars.DEFAULT)
    history = HistoryField(
        default=histories.DEFAULT,
        help_text="What of earlier turns the model is sent again: `full`, `last_k:3` (any number), `diff`.",
    )
    actions_per_turn = CountField(
        default=1, min_value=1, max_value=ACTIONS_PER_TURN_MAX, help_text="At most, in one completion."
    )
    affordances = JsonObjectField(
        default=dict,
        help_text="What its pages offer besides the question: `{tools: {run: true, sort: true}}`.",
    )
    settings = JsonObjectField(
        default=dict,
        help_text=(
            "Free-form. `recording_full_share` (0 to 1) records that share of the run's episodes in full, "
            "drawn by their seeds, and only the page events of the others. `answer_check: once` answers "
            "the first answer of each episode by a request to check it, and takes the second as its answer. "
            "`replay` streams groups that are all but failed with a stored success in place of a failure: "
            "`{size, rule, max_age, std_below, mean_below}`. `reward_profile` names the profile that pays "
            "the run; by default outcomes alone do."
        ),
    )
    tags = serializers.ListField(child=TextField(max_length=100), default=list, max_length=TAGS_MAX)
    simulated = TruthField(
        default=False,
        help_text="True for scripted policies, which are marked as simulated wherever they are shown.",
    )
    report = IdField(
        default=None,
        allow_null=True,
        help_text=(
            "The report that the run belongs to. `settings.retest: true` says that it plays its arm again, "
            "with other seeds."
        ),
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a grammar, a history or settings that the observation gives nothing to work on."""
        observation = OBSERVATION_FORMATS.get(attrs["observation"])
        if observation is None:
            return attrs
        grammar, history = grammars.GRAMMARS[attrs["grammar"]], histories.history_read(attrs["history"])
        if grammar.is_by_position and not observation.has_screenshot:
            message = f"The grammar {grammar.id} acts by position; {observation.id} has no picture."
            raise serializers.ValidationError({"grammar": [message]})
        if history.policy.needs_text and not observation.has_text:
            message = f"The history {history.policy.id} compares outlines; {observation.id} has none."
            raise serializers.ValidationError({"history": [message]})
        settings_check(attrs["observation_settings"], observation)
        return attrs

    def validate_settings(self, value: dict[str, Any]) -> dict[str, Any]:
        share = value.get(RECORDING_FULL_SHARE, 0)
        if not is_share(share):
            raise serializers.ValidationError(f'"{RECORDING_FULL_SHARE}" must be a number from 0 to 1.')
        check = value.get(answer_check.SETTING, answer_check.ONCE)
        if check not in answer_check.VALUES:
            raise serializers.ValidationError(f'"{answer_check.SETTING}" must be "{answer_check.ONCE}".')
        if not isinstance(value.get(PROFILE, ""), str):
            raise serializers.ValidationError(f'"{PROFILE}" must be the name of a reward profile.')
        return {**value, REPLAY: replay_read(value[REPLAY])} if REPLAY in value else value

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
    observation_settings = ObservationSettings()
    grammar = serializers.CharField()
    history = serializers.CharField()
    actions_per_turn = serializers.IntegerField()
    affordances = JsonObjectField()
    settings = JsonObjectField()
    tags = serializers.ListField(child=serializers.CharField())
    simulated = serializers.BooleanField()
    report = serializers.IntegerField(source="report_id", allow_null=True)
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
    name = serializers.CharField(max_length=200, required=False, help_text="The whole name.")


class TrainingQuery(StrictSerializer):
    arm = SuggestingChoiceField(
        choices=list(ARMS),
        default="",
        allow_blank=True,
        help_text="Whose episodes the tables by version count; the arm with the most by default.",
    )


class TrainingRecord(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    arm = serializers.CharField(help_text="Empty without ended episodes of a policy version.")
    arms = serializers.ListField(child=serializers.CharField())
    trained_on = serializers.ListField(
        child=serializers.CharField(), help_text="The benchmarks of the run's judged episodes."
    )
    problems = serializers.ListField(child=serializers.CharField(), help_text="What cannot be said, and why.")
    tables = serializers.ListField(
        child=JsonObjectField(),
        help_text="As in a report: `alarms`, `versions`, `components`, `evaluations`, `transfer`, `tasks`, "
        "`epochs` and `metrics`.",
    )


class PolicyIn(StrictSerializer):
    version = CountField()
    checkpoint = TextField(max_length=500, default="", allow_blank=True)
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
    rules = {"oneOf": [{"required": ["groups"]}, {"required": ["policy_version_before"]}]}

    groups = serializers.ListField(
        child=IdField(), required=False, allow_empty=False, min_length=1, max_length=CANCEL_GROUPS_MAX
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
    origin = SuggestingChoiceField(
        choices=Origin.choices, required=False, help_text="Groups of this origin alone; by default of all."
    )
    profile = TextField(max_length=REFERENCE_CHARS, default="", allow_blank=True, help_text=PROFILE_HELP)


class GroupRecord(Struct):
    """A group whose episodes have all ended. Its fields but the last two are the columns of
    ``groups_after.sql``."""

    group: int
    task: int
    size: int
    judged: Annotated[int, Meta(description="Episodes with a reward.")]
    void: int
    rewards: Annotated[list[float | None], Meta(description="By sample index; null if void.")]
    mean: Annotated[float | None, Meta(description="Over judged episodes; null if there are none.")]
    std: Annotated[
        float | None,
        Meta(description="Sample standard deviation (n - 1) over judged episodes; null below two."),
    ]
    policy_version: Annotated[
        list[int] | None,
        Meta(description="Lowest and highest of the episodes and their steps; null if none was given."),
    ]
    degenerate: Annotated[
        bool,
        Meta(
            description="True if two or more samples were judged and all rewards are equal. Fewer judged "
            "samples teach nothing either, and say so by `judged`."
        ),
    ]
    origin: Annotated[
        Origin,
        Meta(
            description="`plain` if all its episodes are. `taken_over` if a person acted in one, else "
            "`guided` or `forked` if one is."
        ),
    ]
    replayed: Annotated[
        Replayed | None,
        Meta(description="With a stored success; null unless the run's setting `replay` takes one."),
    ]
    paid: Annotated[
        list[Rewards] | None,
        Meta(
            description="What each episode is paid, by sample index, by the profile that the call or the run "
            "names; null where neither does. `rewards` are those of the verdicts, whatever is paid."
        ),
    ]


class UsageTotals(Struct):
    """Usage of judged episodes, in steps and in tokens as their steps report them.

    Its fields are the columns of ``task_usage.sql``.
    """

    steps: int
    parsed: Annotated[int, Meta(description="Steps whose action could be read.")]
    done: Annotated[int, Meta(description="Steps whose action was carried out.")]
    prompt: Annotated[int, Meta(description="Tokens of all prompts.")]
    completion: int
    reasoning: Annotated[int, Meta(description="Tokens of thoughts, a part of `completion`.")]
    cached: Annotated[int, Meta(description="Tokens that the endpoint had read before, a part of `prompt`.")]
    longest_prompt: Annotated[int, Meta(description="Tokens of the longest prompt.")]
    unmetered: Annotated[int, Meta(description="Steps that report no tokens.")]


class PromptSizeIn(StrictSerializer):
    """``characters`` and ``tokens`` are of all prompts of the episode."""

    episode = IdField()
    characters = CountField(min_value=0, max_value=SIZE_MAX)
    longest_characters = CountField(min_value=0, max_value=SIZE_MAX)
    tokens = CountField(min_value=0, max_value=SIZE_MAX, default=None, allow_null=True)
    longest_tokens = CountField(min_value=0, max_value=SIZE_MAX, default=None, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["longest_characters"] > attrs["characters"]:
            raise serializers.ValidationError("The longest prompt is longer than all together.")
        return attrs


class PromptSizesIn(StrictSerializer):
    history = HistoryField()
    episodes = serializers.ListField(child=PromptSizeIn(), min_length=1, max_length=SIZES_MAX)


class PromptSizesRecord(serializers.Serializer[Any]):
    stored = serializers.IntegerField(help_text="Episodes.")


class PromptTotals(Struct):
    """Totals over all prompts of a task's episodes under a history, played or not.

    Its fields are the columns of ``prompt_totals.sql``.
    """

    history: str
    episodes: int
    characters: int
    longest_characters: Annotated[int, Meta(description="Of the longest prompt.")]
    tokens: Annotated[int | None, Meta(description="Null where a model's usage gives no measure of them.")]
    longest_tokens: Annotated[int | None, Meta(description="Of the longest prompt.")]


class GroupPage(Struct):
    results: list[GroupRecord]
    next: Annotated[int, Meta(description="Send as `after` to continue.")]


class PairedTallyList(Struct):
    results: list[PairedTally]
