"""Records and queries of the calls that read episodes. SQL for trajectories is built from their fields."""

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
            description="A guided fork counts as `guided`, and what a person ever acted in as `taken_over`."
        ),
    ] = UNSET


class EpisodePage(Struct):
    """``next`` is null on the last page."""

    results: list[EpisodeRecord]
    next: str | None


PYTHON_TYPES: dict[type[Any], Any] = {
    models.BooleanField: bool,
    models.FloatField: float,
    models.PositiveIntegerField: int,
}


def _measured(model: type[models.Model], explanations: dict[str, str]) -> list[tuple[str, Any]]:
    """Return the fields of measures, with the types of their columns."""
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
        "__doc__": "Measures of the step, each a heuristic; docs/behaviour.md has the formulas. Those of the "
        "thought are null if the model hid it."
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
        "__doc__": "Totals of the measures over the episode's steps. Hidden thoughts are left out of means; "
        "these are null without a thought that is known."
    },
)


class TaskOfEpisode(Struct):
    """The task as agents see it; never a gold."""

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
    """The check of the step's action against what its pages reported, with the reason in words."""

    kind: Literal["confirmed", "not_seen", "different", "extra", "unknown", "none"]
    detail: str


class ExtraEvent(Struct):
    """A click, input, key or submit that no action explains; ``step`` is null if it belongs to none."""

    step: int | None
    kind: str
    what: str


class SaidDoneRecord(Struct):
    """Steps by the result of their action check; ``extras`` are the first of the ``extra_events``."""

    confirmed: int
    not_seen: int
    different: int
    extra: int
    extra_events: int
    extras: list[ExtraEvent]


class StepRecord(Struct):
    """A step; the other fields that the harness sent (``model_ms``, ``usage``, ``sampling``...) follow.

    ``result_message`` is what the model read of the action's result, without the code ``action_result``.

    In a finished episode on a mock site, ``rewards`` also has ``milestone/<name>``, 1.0, in the step that
    first reached it. These are diagnostic only and not part of the verdict's reward.
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
    """An event that a page reported; ``at_ms`` is since its load began, by its own clock.

    All of it but ``received_at`` is the page's claim (``source``): scripts in a page can report anything.
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

    ``no_ui_evidence`` is true for a change or answer if no page had been served before it, or none reported
    a click, input, key or submit in the same step or within 5 seconds of it: something else sent the form,
    such as a harness or a browser without JavaScript. False rests on what the page claims and proves
    nothing. Null for mere views, and if page events were not recorded.
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

    ``seq`` is null if it was not reached; ``step`` also if the harness named no steps.
    """

    name: str
    seq: int | None
    step: int | None


class ToolCallRecord(Struct):
    """A use of an interactive tool of the page, with its result; at most 60 per trajectory.

    For ``tool`` ``run``, ``input`` is the program, up to 64 KB, and ``output`` is ``{passed, told, problem,
    printed, is_cut}``: for each assert that the page showed, whether it passed and the program's own error,
    or the problem that prevented all of them. ``failed`` (no sandbox) and ``lost`` (no answer in time) are
    not the program's fault. For a tool of a panel, ``input`` has its arguments as JSON, and ``output`` is
    ``{text, is_ok}``. ``step`` is null if the request did not name one.
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
    """``copied`` is true for what a fork's parent was sent and said after its opening, calls of tools and
    their results included: no completion of the fork's policy. ``prefill`` is true for the beginning of a
    message that a continuation of an intervention goes on with; ``spans`` say whose its parts are."""

    copied: bool = False
    prefill: bool = False
    spans: list[Span] = []
    tool_calls: list[dict[str, Any]] = []
    tool_call_id: str = ""


class EpisodeMessages(Struct):
    """Chat messages; pictures in them are addresses of blobs."""

    messages: list[EpisodeMessage]


class Trajectory(Struct):
    """An episode and everything that happened in it.

    ``arrangement`` is how the episode differs from its task's payload: ``order`` (place i of the page showed
    choice ``order[i]``; labels and answer are the page's), ``tools`` (those on the page), ``task_bar`` (false
    if the pages of a mock site had none) and ``text`` (how the prompt described the site: ``relevant`` or
    ``full``).
    ``said_done`` and ``behaviour``, of steps too, are computed some seconds after the episode's end, and are
    null until then. They are heuristics, never checked by people.
    ``page_actions`` are those of a browser without a harness: empty if steps were posted.
    ``milestones`` are those of the family of a mock site's task, in order: none before the episode has
    finished, and in an impossible task the same as in its possible counterpart, some out of reach.
    ``rewards`` is what the episode is paid, in parts, by the profile that the call or the run names: null
    where neither does, and before the verdict, whose ``reward`` stays what it is.
    ``answer_check`` is null unless the run has answers checked: ``due`` before the first answer,
    ``requested`` when its check has been requested, ``given`` when the second answer is the ``submission``.
    Ended after ``first_answer`` alone by its policy, an episode has that one as its ``submission``.
    The ``metrics`` of the verdict hold ``first_answer_correct`` (1.0 or 0.0) if two answers were given. In
    episodes on a mock site they hold, besides the verifier's own: ``pop_up_open_at_submit`` and
    ``submitted_before_evidence`` (1.0 or 0.0; the latter if only the pages showed what the answer rests on),
    ``no_ui_evidence`` (a number of changes), ``milestones_reached`` (a share) and each ``milestone/<name>``.
    ``steps`` are the episode's own: a fork's follow those of its ``parent`` up to ``begins_after``. The first
    one of a continuation holds all of its message, of which the ``intervention`` says how it began.
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
        int, Meta(ge=1, le=1_000, description="How many of a task's newest results are recent.")
    ] = 32


class RecentResults(Struct):
    judged: Annotated[int, Meta(description="At most the query's `recent`.")]
    mean_reward: float | None


class TaskStats(Struct):
    """``mean_reward`` is over judged episodes; null if there are none."""

    task: int
    samples: int
    judged: int
    void: int
    mean_reward: float | None
    last_policy_version: int | None
    recent: Annotated[
        RecentResults, Meta(description="Of the newest judged episodes alone, plain ones and no probes.")
    ]
    usage: Annotated[UsageTotals | None, Meta(description="Null if no judged episode has a step.")]
    prompts: Annotated[
        list[PromptTotals], Meta(description="One of each history that `palaestra prompts` measured.")
    ]


class TaskStatsPage(Struct):
    """``next`` is null on the last page."""

    results: list[TaskStats]
    next: str | None
