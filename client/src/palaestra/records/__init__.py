"""Typed records of the REST API. Unknown fields are ignored, so that newer servers work as well."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from palaestra.protocol.answers import AnswerForm
from palaestra.protocol.outcomes import JUDGED, Outcome
from palaestra.records.curation import RecentResults

T = TypeVar("T")

Message = dict[str, Any]
Answer = str | list[str]


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list; ``next`` is the cursor of the next page, None at the end."""

    results: list[T]
    next: str | int | None = None


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """The response of ``GET /api/v1/health``."""

    status: str
    version: str = ""
    arena_url: str
    live_url: str
    sandbox: str = ""

    @property
    def is_down(self) -> bool:
        """True if a required part is down."""
        return self.status == "down"

    @property
    def has_sandbox(self) -> bool:
        """True if submitted programs can be judged."""
        return self.sandbox == "ok"


class Queue(msgspec.Struct, frozen=True, kw_only=True):
    queued: int = 0
    p95_ms: float | None = None


class Capacity(msgspec.Struct, frozen=True, kw_only=True):
    """The load of the installation; ``recommended_inflight`` is the recommended concurrency."""

    active: int
    max_active: int
    verify: Queue | None = None
    sandbox: Queue | None = None
    recommended_inflight: int | None = None


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    title: str = ""
    kind: str = ""
    license: str = ""
    source: str = ""
    splits: dict[str, int] = {}
    verifiers: dict[str, str] = {}


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One problem, without its gold. ``oracle_steps`` is the number of actions in the scripted solution."""

    id: int
    benchmark: str
    key: str
    split: str = ""
    kind: str = ""
    prompt: str = ""
    payload: dict[str, Any] = {}
    difficulty: float | None = None
    tags: list[str] = []
    max_steps: int | None = None
    guess_rate: float | None = None
    oracle_steps: int | None = None
    gap_eligible: bool = True


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """An episode's verdict.

    ``reward`` is 1.0, 0.0 or, if the verdict is void, None; ``score`` and ``metrics`` are diagnostic only.
    """

    outcome: Outcome
    reward: float | None
    reason: str
    terminated: bool = True
    truncated: bool = False
    score: float | None = None
    metrics: dict[str, Any] | None = None
    verifier: str | None = None
    official: Any = None
    latency_ms: float | None = None

    @property
    def is_void(self) -> bool:
        """True if there is no reward: the verdict says nothing about the agent and counts in no score."""
        return self.outcome not in JUDGED


class Run(msgspec.Struct, kw_only=True):
    """A run.

    ``observation`` with its settings, ``grammar``, ``history`` and ``actions_per_turn`` describe the
    interface between the run's model and the gym.
    """

    id: int
    name: str = ""
    kind: str = ""
    model: str = ""
    settings: dict[str, Any] = {}
    observation: str = ""
    observation_settings: dict[str, Any] = {}
    grammar: str = "json"
    history: str = "full"
    actions_per_turn: int = 1
    checkpoint: str = ""
    simulated: bool = False
    report: int | None = None
    verdicts: int | None = None  # so far; given only if a single run is requested


class ReportCreated(msgspec.Struct, frozen=True, kw_only=True):
    """The response of ``POST /api/v1/reports``; ``url`` is that of the report's page."""

    id: int
    plan_sha256: str
    url: str


class ReportSummary(ReportCreated, frozen=True, kw_only=True):
    """A report without its result.

    ``state`` is ``waiting``, ``computing``, ``ready`` or ``failed``; ``progress`` is between 0 and 1.
    """

    name: str = ""
    state: str = ""
    progress: float = 0.0
    problem: str = ""


class Report(ReportSummary, frozen=True, kw_only=True):
    """A report; ``result`` contains its ``tables``, and is None until they have been computed."""

    plan: dict[str, Any]
    result: dict[str, Any] | None = None
    stale: bool = False


class ReportFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a report, such as ``gaps.pdf``."""

    name: str
    content_type: str


class ReportFiles(msgspec.Struct, frozen=True, kw_only=True):
    results: list[ReportFile]


class OpenedEpisode(msgspec.Struct, frozen=True, kw_only=True):
    """A newly opened episode; ``start_url`` is None in arms without a page.

    ``answer_form`` is the form of a free-text answer (see ``palaestra.extraction``). ``is_site``: the
    episode's page belongs to a mock site. ``tools`` are the task's tools for the action ``call_tool``; empty
    if a page offers them. A fork continues from its ``parent`` after the step ``begins_after``.
    """

    id: int
    task: int
    group: int
    sample_index: int
    arm: str
    start_url: str | None = None
    messages_ref: str | int | None = None
    answer_form: AnswerForm = "line"
    is_site: bool = False
    tools: list[str] = []
    max_steps: int
    presentation_hash: str = ""
    parent: int | None = None
    begins_after: int = 0


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """The response of ``POST /api/v1/episodes``, in which the samples of a group share their messages."""

    episodes: list[OpenedEpisode]
    messages: dict[str, list[Message]] = {}

    def messages_of(self, episode: OpenedEpisode) -> list[Message]:
        """Return one episode's prompt as chat messages."""
        return self.messages.get(str(episode.messages_ref), [])


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The tokens of one completion, as counted by the trainer."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cached: int | None = None


class UsageTotals(msgspec.Struct, kw_only=True):
    """Total steps and tokens of a task's judged episodes.

    ``done`` is the number of actions that were carried out, ``unmetered`` the number of steps that report no
    tokens.
    """

    steps: int = 0
    parsed: int = 0
    done: int = 0
    prompt: int = 0
    completion: int = 0
    reasoning: int = 0
    cached: int = 0
    longest_prompt: int = 0
    unmetered: int = 0


class PromptSize(msgspec.Struct, frozen=True, kw_only=True):
    """The total length of an episode's prompts under a history policy, and the length of the longest prompt.

    Token counts are None if no usage was reported.
    """

    episode: int
    characters: int
    longest_characters: int
    tokens: int | None = None
    longest_tokens: int | None = None


class TaskStats(msgspec.Struct, frozen=True, kw_only=True):
    """A run's results on one task; ``usage`` is None if no judged episode has any steps."""

    task: int
    samples: int
    judged: int
    void: int
    mean_reward: float | None = None
    last_policy_version: int | None = None
    recent: RecentResults | None = None
    usage: UsageTotals | None = None


class StepObservation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    kind: str
    text: str | None = None
    sha256: str | None = None


class Step(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One turn: what the model was shown (``observation``), wrote and did, and the result.

    ``thought_hidden``: the model reasoned but did not reveal its thought. ``prefill_chars`` is the length of
    the prefill at the beginning of ``raw``. ``result_message`` is the message about the result that the model
    read, and ``target_path`` the path of the element that was acted on, as the page's recorder writes it.
    ``settled``: the page had finished loading when the model was shown it. ``element_ids`` are the keys of
    the elements that were numbered since the previous step, by number, separated by spaces.
    """

    index: int
    thought: str | None = None
    thought_hidden: bool | None = None
    raw: str | None = None
    prefill_chars: int | None = None
    action: dict[str, Any] | None = None
    parsed: bool | None = None
    parse_error: str | None = None
    action_result: str | None = None
    result_message: str | None = None
    target_path: str | None = None
    settled: bool | None = None
    element_ids: str | None = None
    observation: StepObservation | None = None
    screenshot: str | None = None
    url: str | None = None
    started_at: str | None = None
    duration_ms: float | None = None
    model_ms: float | None = None
    env_ms: float | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    policy_version: int | None = None
    actor: str | None = None
    model: str | None = None
    sampling: dict[str, Any] | None = None
    prompt_sha256: str | None = None
    tokens_blob: str | None = None
    rewards: dict[str, float] | None = None


class SubmissionAck(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a submitted answer.

    ``check`` asks the model to check a first answer; None after the answer that counts.
    """

    duplicate: bool
    check: str | None = None


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's response.

    ``text`` is the tool's output or, unless ``is_ok``, the problem; ``used`` of ``limit`` calls have been
    made.
    """

    number: int
    text: str
    is_ok: bool
    used: int
    limit: int


class StepsAck(msgspec.Struct, frozen=True, kw_only=True):
    accepted: int = 0
    duplicates: int = 0
    next_index: int = 1
    steps_left: int | None = None
    status: str = "open"
    terminated: bool = False
    truncated: bool = False
    verdict: Verdict | None = None


class EpisodeState(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    run: int = 0
    task: int = 0
    group: int = 0
    arm: str = ""
    sample_index: int = 0
    max_steps: int = 0
    parent: int | None = None
    begins_after: int = 0
    presentation_hash: str = ""
    status: str
    steps_used: int = 0
    terminated: bool = False
    truncated: bool = False
    verdict: Verdict | None = None

    @property
    def is_judged(self) -> bool:
        """True once the episode has a verdict of correct or incorrect."""
        return self.verdict is not None and not self.verdict.is_void

    @property
    def is_void(self) -> bool:
        """True once the episode has a void verdict; an open episode has no verdict at all."""
        return self.verdict is not None and self.verdict.is_void


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    start_url: str | None = None
    answer_form: AnswerForm = "line"
    is_site: bool = False
    tools: list[str] = []
    next_index: int = 1
    drafts: Any = None


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    missing: list[str]


class Liveness(msgspec.Struct, frozen=True, kw_only=True):
    alive: Any = None
    gone: list[int] = []


class StreamedVerdict(msgspec.Struct, frozen=True, kw_only=True):
    episode: int
    group: int | None = None
    verdict: Verdict
