"""Bodies, queries and records of the API calls about runs."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, field

from core.api.paging import Query
from core.database.integers import BIGINT_MAX
from core.episodes import answer_check
from core.episodes.observation_settings import ObservationSettings, settings_check
from core.structs.bodies import Body, to_plain
from core.structs.fields import Count, FieldError, History, Id, JsonObject, Moment, Numbers, choice, string
from palaestra.protocol import grammars, histories
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.questions import questions
from trajectories.models import Run
from trajectories.models.origins import Origin
from trajectories.models.run import RECORDING_FULL_SHARE, is_share
from trajectories.reports.run_tallies import PairedTally
from trajectories.rewards.api import PROFILE_HELP, REFERENCE_CHARS
from trajectories.rewards.profiles.store import SETTING as PROFILE
from trajectories.rewards.selectors import Rewards
from trajectories.rollouts.runs.replays import REPLAY, Replayed, replay_read

TOOLS = "tools"
TAGS_MAX = 50
CANCEL_GROUPS_MAX = 10_000
CANCEL_REASONS = ("stale", "overload")
ACTIONS_PER_TURN_MAX = 20
SIZES_MAX = 1_000
SIZE_MAX = 2**53
Size = Annotated[int, Meta(ge=0, le=SIZE_MAX)]


class RunIn(Body, kw_only=True):
    name: Annotated[str, string(200)]
    kind: Annotated[str, choice(Run.Kind.values)]
    model: Annotated[str, string(200, may_be_blank=True)] = ""
    checkpoint: Annotated[str, string(500, may_be_blank=True)] = ""
    observation: Annotated[str, choice(OBSERVATION_FORMATS, may_be_blank=True)] = ""
    observation_settings: ObservationSettings = field(default_factory=ObservationSettings)
    grammar: Annotated[str, choice(grammars.GRAMMARS)] = grammars.DEFAULT
    history: Annotated[
        History,
        Meta(
            description="How much of earlier turns the model is sent again: `full`, `last_k:3` (any number), "
            "`diff`."
        ),
    ] = histories.DEFAULT
    actions_per_turn: Annotated[
        int, Meta(ge=1, le=ACTIONS_PER_TURN_MAX, description="Maximum in one completion.")
    ] = 1
    affordances: Annotated[
        JsonObject,
        Meta(description="What its pages offer besides the question, such as `{tools: {run: true}}`."),
    ] = {}
    settings: Annotated[
        JsonObject,
        Meta(
            description="Free-form. `recording_full_share` (0 to 1) records that share of the run's episodes "
            "in full, drawn by their seeds, and only the page events of the others. `answer_check: once` "
            "responds to the first answer of each episode with a request to check it, and counts the second "
            "one. `replay` streams groups that have almost completely failed with a stored success in place "
            "of a failure: `{size, rule, max_age, std_below, mean_below}`. `reward_profile` names the "
            "profile that computes the run's rewards; by default only outcomes count."
        ),
    ] = {}
    tags: Annotated[list[Annotated[str, string(100)]], Meta(max_length=TAGS_MAX)] = []
    simulated: Annotated[
        bool,
        Meta(
            description="True for scripted policies, which are marked as simulated wherever they are shown."
        ),
    ] = False
    report: Annotated[
        Id | None,
        Meta(
            description="The report that the run belongs to. `settings.retest: true` means that the run "
            "plays its arm again, with other seeds."
        ),
    ] = None

    def check(self) -> None:
        _affordances_check(self.affordances)
        self.settings = _settings_read(self.settings)
        _observation_check(self)


def _observation_check(run: RunIn) -> None:
    """Refuse a grammar, a history or settings that make no sense with the observation."""
    observation = OBSERVATION_FORMATS.get(run.observation)
    if observation is None:
        return
    grammar, history = grammars.GRAMMARS[run.grammar], histories.history_read(run.history)
    if grammar.is_by_position and not observation.has_screenshot:
        message = f"The grammar {grammar.id} acts by position, but {observation.id} has no picture."
        raise FieldError("grammar", message)
    if history.policy.needs_text and not observation.has_text:
        message = f"The history {history.policy.id} compares outlines, but {observation.id} has none."
        raise FieldError("history", message)
    settings_check(to_plain(run.observation_settings), observation)


def _settings_read(settings: dict[str, Any]) -> dict[str, Any]:
    """Check the settings, and return them with the defaults of ``replay``."""
    if not is_share(settings.get(RECORDING_FULL_SHARE, 0)):
        raise FieldError("settings", f'"{RECORDING_FULL_SHARE}" must be a number from 0 to 1.')
    if settings.get(answer_check.SETTING, answer_check.ONCE) not in answer_check.VALUES:
        raise FieldError("settings", f'"{answer_check.SETTING}" must be "{answer_check.ONCE}".')
    if not isinstance(settings.get(PROFILE, ""), str):
        raise FieldError("settings", f'"{PROFILE}" must be the name of a reward profile.')
    if REPLAY not in settings:
        return settings
    try:
        return {**settings, REPLAY: replay_read(settings[REPLAY])}
    except FieldError as error:
        raise error.below("settings") from None


def _affordances_check(affordances: dict[str, Any]) -> None:
    """Check the names of ``tools``, because an unknown name would silently grant nothing."""
    for name in affordances:
        if name != TOOLS and get_close_matches(name, [TOOLS]):
            raise FieldError("affordances", f'There is no affordance {name!r}. Did you mean "{TOOLS}"?')
    tools = affordances.get(TOOLS, {})
    if not isinstance(tools, dict) or not all(isinstance(granted, bool) for granted in tools.values()):
        raise FieldError("affordances", '"tools" must be an object of tool names with true or false.')
    known = sorted({tool for _, kind in questions.items() for tool in kind.tools})
    for name in tools:
        if name not in known:
            raise FieldError("affordances", f"There is no tool {name!r}. {did_you_mean(name, known)}")


class RunRecord(Struct, kw_only=True):
    """A run. ``policy_version`` is its newest registered version."""

    id: int
    name: str
    kind: Run.Kind
    model: str
    checkpoint: str
    observation: str
    observation_settings: ObservationSettings
    grammar: str
    history: str
    actions_per_turn: int
    affordances: dict[str, Any]
    settings: dict[str, Any]
    tags: list[str]
    simulated: bool
    report: int | None
    policy_version: int | None
    created_at: Moment


class EpisodeCounts(Struct):
    open: int
    submitted: int
    finished: int


class RunDetail(RunRecord, kw_only=True):
    """A run with its progress. ``policy_version`` is its newest registered version."""

    episodes: EpisodeCounts
    verdicts: Annotated[
        int,
        Meta(description="Number of verdicts so far, which is the newest position in the verdict stream."),
    ]


class RunPage(Struct):
    results: list[RunRecord]
    next: str | None


class RunsQuery(Query, kw_only=True):
    kind: Annotated[str, choice(Run.Kind.values)] | UnsetType = UNSET
    tag: Annotated[str, string(100)] | UnsetType = UNSET
    name: Annotated[Annotated[str, string(200)] | UnsetType, Meta(description="The whole name.")] = UNSET


class TrainingQuery(Body, kw_only=True):
    arm: Annotated[
        str,
        choice(ARMS, may_be_blank=True),
        Meta(description="The arm counted in the tables by version; by default the one with most episodes."),
    ] = ""


class TrainingRecord(Struct):
    run: int
    arm: Annotated[str, Meta(description="Empty if no episode with a policy version has ended.")]
    arms: list[str]
    trained_on: Annotated[list[str], Meta(description="The benchmarks of the run's judged episodes.")]
    problems: Annotated[list[str], Meta(description="Results that are missing, and why.")]
    tables: Annotated[
        list[dict[str, Any]],
        Meta(
            description="Tables as in a report: `alarms`, `versions`, `components`, `evaluations`, "
            "`transfer`, `tasks`, `epochs` and `metrics`."
        ),
    ]


class PolicyIn(Body, kw_only=True):
    version: Count
    checkpoint: Annotated[str, string(500, may_be_blank=True)] = ""
    trainer_step: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None


class PolicyRecord(Struct, kw_only=True):
    run: int
    version: int
    checkpoint: str
    trainer_step: int | None
    created_at: Moment


class MetricsIn(Body, kw_only=True):
    policy_version: Count | None = None
    values: Annotated[Numbers, Meta(description="Finite numbers by name.")]


class MetricsRecord(Struct, kw_only=True):
    id: int
    run: int
    policy_version: int | None
    created_at: Moment


class CancelIn(Body, kw_only=True):
    rules = {"oneOf": [{"required": ["groups"]}, {"required": ["policy_version_before"]}]}

    groups: Annotated[list[Id], Meta(min_length=1, max_length=CANCEL_GROUPS_MAX)] | UnsetType = UNSET
    policy_version_before: Annotated[
        Count | UnsetType, Meta(description="Cancels episodes opened for an older policy version.")
    ] = UNSET
    reason: Annotated[str, choice(CANCEL_REASONS)]

    def check(self) -> None:
        if (self.groups is UNSET) == (self.policy_version_before is UNSET):
            raise ValueError("Send either `groups` or `policy_version_before`.")


class CancelRecord(Struct):
    cancelled: Annotated[int, Meta(description="Number of episodes that this call ended.")]
    episodes: list[int]


class GroupsQuery(Body, kw_only=True):
    after: Annotated[
        int, Meta(ge=0, le=BIGINT_MAX, description="`next` of the previous response; 0 to start.")
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 100
    origin: Annotated[
        Annotated[str, choice(Origin.values)] | UnsetType,
        Meta(description="Only groups of this origin; by default all groups."),
    ] = UNSET
    profile: Annotated[str, string(REFERENCE_CHARS, may_be_blank=True), Meta(description=PROFILE_HELP)] = ""


class GroupRecord(Struct):
    """A group whose episodes have all ended.

    All its fields but the last two are the columns of ``groups_after.sql``."""

    group: int
    task: int
    size: int
    judged: Annotated[int, Meta(description="Episodes with a reward.")]
    void: int
    rewards: Annotated[
        list[float | None], Meta(description="In the order of sample indexes; null for void episodes.")
    ]
    mean: Annotated[float | None, Meta(description="Mean over judged episodes; null if there are none.")]
    std: Annotated[
        float | None,
        Meta(description="Sample standard deviation (n - 1) over judged episodes; null for fewer than two."),
    ]
    policy_version: Annotated[
        list[int] | None,
        Meta(
            description="Lowest and highest version of the episodes and their steps; null if none was given."
        ),
    ]
    degenerate: Annotated[
        bool,
        Meta(
            description="True if two or more samples were judged and all rewards are equal. A group with "
            "fewer judged samples teaches nothing either, which `judged` shows."
        ),
    ]
    origin: Annotated[
        Origin,
        Meta(
            description="`plain` if all its episodes are plain. `taken_over` if a person acted in any, else "
            "`guided` or `forked` if any episode is."
        ),
    ]
    replayed: Annotated[
        Replayed | None,
        Meta(description="The group with a stored success; null unless the run's setting `replay` uses one."),
    ]
    paid: Annotated[
        list[Rewards] | None,
        Meta(
            description="Each episode's reward, in the order of sample indexes, by the profile that the call "
            "or the run names; null if neither does. `rewards` are always those of the verdicts."
        ),
    ]


class UsageTotals(Struct):
    """Usage of judged episodes, in steps and in tokens as their steps report them.

    Its fields are the columns of ``task_usage.sql``.
    """

    steps: int
    parsed: Annotated[int, Meta(description="Steps whose action could be parsed.")]
    done: Annotated[int, Meta(description="Steps whose action was carried out.")]
    prompt: Annotated[int, Meta(description="Tokens of all prompts.")]
    completion: int
    reasoning: Annotated[int, Meta(description="Tokens of thoughts, a part of `completion`.")]
    cached: Annotated[int, Meta(description="Tokens that the endpoint had cached, a part of `prompt`.")]
    longest_prompt: Annotated[int, Meta(description="Tokens of the longest prompt.")]
    unmetered: Annotated[int, Meta(description="Steps that report no tokens.")]


class PromptSizeIn(Body, kw_only=True):
    """The prompt lengths of an episode. ``characters`` and ``tokens`` are totals over all of its prompts."""

    episode: Id
    characters: Size
    longest_characters: Size
    tokens: Size | None = None
    longest_tokens: Size | None = None

    def check(self) -> None:
        if self.longest_characters > self.characters:
            raise ValueError("The longest prompt is longer than all prompts together.")


class PromptSizesIn(Body, kw_only=True):
    history: History
    episodes: Annotated[list[PromptSizeIn], Meta(min_length=1, max_length=SIZES_MAX)]


class PromptSizesRecord(Struct):
    stored: Annotated[int, Meta(description="Number of episodes.")]


class PromptTotals(Struct):
    """Totals over all prompts of a task's episodes under a history, even one that the episodes did not use.

    Its fields are the columns of ``prompt_totals.sql``.
    """

    history: str
    episodes: int
    characters: int
    longest_characters: Annotated[int, Meta(description="Characters of the longest prompt.")]
    tokens: Annotated[int | None, Meta(description="Null if the model's usage does not give them.")]
    longest_tokens: Annotated[int | None, Meta(description="Tokens of the longest prompt.")]


class GroupPage(Struct):
    results: list[GroupRecord]
    next: Annotated[int, Meta(description="Send as `after` to continue.")]


class PairedTallyList(Struct):
    results: list[PairedTally]
