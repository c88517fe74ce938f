"""Records and queries of the calls that read episodes. The SQL of trajectories is built from their fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.db import models
from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from core.api.paging import Cursor, Query
from core.structs.bodies import Body
from core.structs.fields import Id, choice
from trajectories.behaviour.facts.measures import MEASURES, TOTALS
from trajectories.behaviour.facts.page_actions import PageAction
from trajectories.models import Episode, EpisodeFacts, StepFacts
from trajectories.models.origins import Origin
from trajectories.rewards.selectors import Rewards
from trajectories.rollouts.episodes.api import EpisodeRecord, Message
from trajectories.rollouts.episodes.interventions.creation import Span
from trajectories.rollouts.runs.records import PromptTotals, UsageTotals

STATS_PAGE_MAX = 10_000
STATS_PAGE_DEFAULT = 1_000


class EpisodesQuery(Query, kw_only=True):
    run: Id | UnsetType = UNSET
    group: Id | UnsetType = UNSET
    status: Annotated[str, choice(Episode.Status.values)] | UnsetType = UNSET
    origin: Annotated[
        Annotated[str, choice(Origin.values)] | UnsetType,
        Meta(
            description="A guided fork counts as `guided`; if a person ever acted, it counts as `taken_over`."
        ),
    ] = UNSET


class EpisodePage(Struct):
    """A page of episodes. ``next`` is null on the last page."""

    results: list[EpisodeRecord]
    next: str | None


PYTHON_TYPES: dict[type[Any], Any] = {
    models.BooleanField: bool,
    models.FloatField: float,
    models.PositiveIntegerField: int,
}


def _measured(model: type[models.Model], explanations: dict[str, str]) -> list[tuple[str, Any]]:
    """Return fields for the measures, with types that fit their columns."""
    fields: list[tuple[str, Any]] = []
    for name, explanation in explanations.items():
        column: Any = model._meta.get_field(name)
        kind = PYTHON_TYPES[type(column)]
        kind = kind | None if column.null else kind
        fields.append((name, Annotated[kind, Meta(description=explanation)]))
    return fields


StepBehaviour = defstruct(
    "StepBehaviour",
    _measured(StepFacts, {measure.column: measure.explanation for measure in MEASURES}),
    namespace={
        "__doc__": "Measures of the step. Each is a heuristic, with its formula in docs/behaviour.md. "
        "Measures of the thought are null if the model hid the thought."
    },
)
BehaviourRecord = defstruct(
    "BehaviourRecord",
    [
        ("steps", int),
        ("duration_ms", float),
        ("action_types", dict[str, int]),
        *_measured(EpisodeFacts, TOTALS),
        ("computed_at", str),
    ],
    namespace={
        "__doc__": "Totals of the measures over the episode's steps. Hidden thoughts are left out of means, "
        "which are null if no thought is known."
    },
)


class TaskOfEpisode(Struct):
    """The task as agents see it, without its gold."""

    id: int
    benchmark: str
    split: str
    key: str
    kind: str
    prompt: str
    payload: dict[str, Any]
    difficulty: float | None
    tags: list[str]
    guess_rate: float
    gap_eligible: bool


class StepObservation(Struct):
    """The observation sent to the model: the text, or the SHA-256 of the blob that holds it."""

    kind: str
    text: str | None
    sha256: str | None


class StepSaidDone(Struct):
    """The result of checking the step's action against what its pages reported, and the reason in words."""

    kind: Literal["confirmed", "not_seen", "different", "extra", "unknown", "none"]
    detail: str


class ExtraEvent(Struct):
    """A click, input, key or submit that no action explains. ``step`` is null if it belongs to no step."""

    step: int | None
    kind: str
    what: str


class SaidDoneRecord(Struct):
    """Numbers of steps by the result of their action check.

    ``extras`` are the first of the ``extra_events``.
    """

    confirmed: int
    not_seen: int
    different: int
    extra: int
    extra_events: int
    extras: list[ExtraEvent]


class StepRecord(Struct):
    """A recorded step.

    Other fields that the harness sent (``model_ms``, ``usage``, ``sampling``...) follow the ones listed here.
    ``result_message`` is what the model read about the action's result, without the code ``action_result``.

    In a finished episode on a mock site, ``rewards`` also contains ``milestone/<name>``, with the value 1.0,
    in the step that first reached the milestone. These are diagnostic only and not part of the verdict's
    reward.
    """

    index: int
    thought: str
    raw: str
    action: dict[str, Any] | None
    action_known: bool
    action_result: str | None
    result_message: str | None
    parse_error: str | None
    observation: StepObservation | None
    screenshot: str | None
    url: str | None
    started_at: str | None
    duration_ms: float | None
    policy_version: int | None
    actor: str
    segment: Literal["recovery", "correction"] | None
    recorded_at: str
    said_done: StepSaidDone | None
    behaviour: StepBehaviour | None  # type: ignore[valid-type]


class PageEventRecord(Struct):
    """An event that a page reported.

    ``at_ms`` counts from when the page began to load, by the page's own clock. Everything but
    ``received_at`` is the page's claim (``source``), because scripts in a page can report anything.
    """

    source: Literal["page"]
    page: str
    seq: int
    step: int | None
    kind: str
    at_ms: float
    data: Any
    received_at: str


class SiteEventRecord(Struct):
    """An event that the server recorded while it served the episode.

    ``no_ui_evidence`` is true for a change or answer if no page had been served before it, or if no page
    reported a click, input, key or submit in the same step or within 5 seconds of it. Then something else
    sent the form, such as a harness or a browser without JavaScript. False is based on what the page claims
    and proves nothing. It is null for mere views, and if page events were not recorded.
    """

    source: Literal["server"]
    seq: int
    step: int | None
    kind: str
    data: Any
    no_ui_evidence: bool | None
    created_at: str


class MilestoneRecord(Struct):
    """A milestone on the way to the answer, with ``seq`` and ``step`` of the site event that reached it.

    ``seq`` is null if it was not reached. ``step`` is also null if the harness sent no step numbers.
    """

    name: str
    seq: int | None
    step: int | None


class ToolCallRecord(Struct):
    """A use of one of the page's interactive tools, with its result; at most 60 per trajectory.

    For the ``tool`` ``run``, ``input`` is the program, up to 64 KB, and ``output`` is ``{passed, told,
    problem, printed, is_cut}``: for each assert that the page showed, whether it passed and the program's own
    error, or the problem that prevented all of them. The status ``failed`` (no sandbox) or ``lost`` (no
    answer in time) is not the program's fault. For a tool of a panel, ``input`` contains its arguments as
    JSON, and ``output`` is ``{text, is_ok}``. ``step`` is null if the request did not name one.
    """

    number: int
    tool: str
    step: int | None
    input: str
    status: Literal["waiting", "running", "done", "failed", "lost"]
    output: dict[str, Any] | None
    created_at: str
    finished_at: str | None


class SubmissionRecord(Struct):
    answer: str | list[str]
    channel: Episode.Channel
    received_at: str


class EpisodeMessage(Message, omit_defaults=True):
    """A message that opened an episode.

    ``copied`` is true for messages that a fork's parent was sent or wrote after its opening, including tool
    calls and their results; the fork's policy wrote none of them. ``prefill`` is true for the beginning of a
    message that an intervention's continuation has to complete; ``spans`` then give the author of each
    part."""

    copied: bool = False
    prefill: bool = False
    spans: list[Span] = []
    tool_calls: list[dict[str, Any]] = []
    tool_call_id: str = ""


class EpisodeMessages(Struct):
    """Chat messages. Their pictures are given as blob addresses."""

    messages: list[EpisodeMessage]


class Trajectory(Struct):
    """An episode and everything that happened in it.

    ``arrangement`` gives the differences between the episode and its task's payload: ``order`` (place i of
    the page showed choice ``order[i]``; labels and answer are those of the page), ``tools`` (those on the
    page), ``task_bar`` (false if the pages of a mock site had none) and ``text`` (the form in which the
    prompt described the site: ``relevant`` or ``full``).

    ``said_done`` and ``behaviour``, which steps have too, are computed some seconds after the episode has
    ended and are null until then. They are heuristics that nobody has checked.

    ``page_actions`` are derived for a browser without a harness, and empty if steps were posted.

    ``milestones`` are those of a mock site task's family, in order. There are none before the episode has
    finished. An impossible task has the same milestones as its possible counterpart, some of them out of
    reach.

    ``rewards`` gives the components of the reward by the profile that the call or the run names. It is null
    if neither names one, and before the verdict. The verdict's own ``reward`` does not depend on it.

    ``answer_check`` is null unless the run has answers checked. It is ``due`` before the first answer,
    ``requested`` once a check of that answer has been requested, and ``given`` when the second answer is the
    ``submission``. If the policy ends the episode after its ``first_answer``, that one is the ``submission``.

    The verdict's ``metrics`` contain ``first_answer_correct`` (1.0 or 0.0) if two answers were given. In
    episodes on a mock site they contain, besides the verifier's own metrics: ``pop_up_open_at_submit`` and
    ``submitted_before_evidence`` (each 1.0 or 0.0; the second only if nothing but the pages showed what the
    answer is based on), ``no_ui_evidence`` (a number of changes), ``milestones_reached`` (a share) and each
    ``milestone/<name>``.

    ``steps`` are the episode's own; those of a fork follow the steps of its ``parent`` up to
    ``begins_after``. The first step of a continuation contains the whole message, whose beginning the
    ``intervention`` gives.

    Keys with the scope ``golds`` also read ``seed`` and ``evidence``, the parsed forms that were compared.
    """

    id: int
    arm: str
    parent: int | None
    intervention: int | None
    begins_after: int
    is_taken_over: bool
    sample_index: int
    policy_version: int | None
    status: Episode.Status
    presentation: dict[str, Any]
    presentation_hash: str
    max_steps: int
    token_budget: int | None
    recording: Episode.Recording
    answer_channel: Episode.Channel
    guidance: dict[str, Any] | None
    virtual_start: str
    opened_at: str
    finished_at: str | None
    closed_at: str | None
    run: int
    group: int
    task: TaskOfEpisode
    simulated: bool
    model: str
    arrangement: dict[str, Any] | None
    close_reason: str | None
    close_detail: str | None
    steps: list[StepRecord]
    page_events: list[PageEventRecord]
    page_actions: list[PageAction]
    site_events: list[SiteEventRecord]
    tool_calls: list[ToolCallRecord]
    milestones: list[MilestoneRecord]
    rewards: Rewards | None
    answer_check: Literal["due", "requested", "given"] | None
    first_answer: SubmissionRecord | None
    submission: SubmissionRecord | None
    said_done: SaidDoneRecord | None
    behaviour: BehaviourRecord | None  # type: ignore[valid-type]
    terminated: bool
    truncated: bool
    verdict: dict[str, Any] | None


class StatsQuery(Body, kw_only=True):
    run: Id
    limit: Annotated[int, Meta(ge=1, le=STATS_PAGE_MAX)] = STATS_PAGE_DEFAULT
    cursor: Cursor | UnsetType = UNSET
    recent: Annotated[
        int, Meta(ge=1, le=1_000, description="Number of a task's newest results that count as recent.")
    ] = 32


class RecentResults(Struct):
    judged: Annotated[int, Meta(description="At most the query's `recent`.")]
    mean_reward: float | None


class TaskStats(Struct):
    """A task's results. ``mean_reward`` averages over judged episodes; null if there are none."""

    task: int
    samples: int
    judged: int
    void: int
    mean_reward: float | None
    last_policy_version: int | None
    recent: Annotated[
        RecentResults,
        Meta(description="Results of the newest judged episodes, counting only plain ones and no probes."),
    ]
    usage: Annotated[UsageTotals | None, Meta(description="Null if no judged episode has a step.")]
    prompts: Annotated[
        list[PromptTotals], Meta(description="One entry for each history that `palaestra prompts` measured.")
    ]


class TaskStatsPage(Struct):
    """A page of tasks. ``next`` is null on the last page."""

    results: list[TaskStats]
    next: str | None
