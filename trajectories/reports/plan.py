"""The analysis plan of an evaluation, with its fields and the checks that it must pass."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from core.database.integers import BIGINT_MAX
from core.episodes import answer_check
from core.episodes.observation_settings import ObservationSettings
from core.structs.bodies import Body, body_read, to_plain
from core.structs.fields import Count, FieldError, History, JsonObject, Positive, choice, id_list, string
from palaestra.protocol import grammars, histories
from palaestra.protocol.arms import ARMS
from palaestra.protocol.observations import OBSERVATION_FORMATS, settings_of

VERSION = 1
ALPHA = 0.05
BENCHMARKS_MAX = 50
TASKS_MAX = 100_000
TEXTS_MAX = 100
ARM_MAX_CHARS = 64
TEXT_MAX_CHARS = 2_000
PICTURED = next(form.id for form in OBSERVATION_FORMATS.values() if form.has_marks)
# An arm with a page may name an observation other than the plan's, as in ``gym:som-v1``.
PLANNED_ARMS = [
    *ARMS,
    *(f"{arm.id}:{form}" for arm in ARMS.values() if arm.has_page for form in OBSERVATION_FORMATS),
]


def plan_read(stored: Any) -> dict[str, Any]:
    """Return a stored plan with defaults for the fields that it leaves out."""
    return body_read(PlanIn, stored)


Contrast = Annotated[list[Annotated[str, string(ARM_MAX_CHARS)]], Meta(min_length=2, max_length=2)]


class ModelIn(Body, kw_only=True):
    name: Annotated[str, string(200)]
    base_url: Annotated[str, string(500, may_be_blank=True)] | None = ""
    checkpoint: Annotated[str, string(500, may_be_blank=True)] | None = ""
    sampling: Annotated[JsonObject, Meta(description="Fields of every call to the model.")] = {}


class BenchmarkIn(Body, kw_only=True):
    slug: Annotated[str, string(64)]
    split: Annotated[str, string(64)] | None = None
    limit: Positive | None = None
    task_ids: Annotated[
        Annotated[list[Any], id_list(TASKS_MAX)] | None,
        Meta(description=f"At most {TASKS_MAX:,} for all benchmarks together."),
    ] = None


class LooksIn(Body, kw_only=True):
    design: Annotated[str, string(100)]
    count: Count | None = None
    factors: JsonObject | None = None


class SmallestGapIn(Body, kw_only=True):
    points: float | None = None
    power: Annotated[float, Meta(ge=0, le=1)] | None = None
    assumptions: JsonObject | None = None


class PlanIn(Body, kw_only=True):
    """An analysis plan. Unknown names are refused, so that a misspelt ``margin`` cannot mean the default."""

    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    name: Annotated[str, string(200)]
    model: ModelIn
    benchmarks: Annotated[list[BenchmarkIn], Meta(min_length=1, max_length=BENCHMARKS_MAX)]
    arms: Annotated[
        list[Annotated[str, choice(PLANNED_ARMS)]],
        Meta(
            min_length=1,
            max_length=len(PLANNED_ARMS),
            description="An arm with a page may name an observation other than the plan's: `gym:som-v1`.",
        ),
    ]
    observation: Annotated[str, choice(OBSERVATION_FORMATS, may_be_blank=True)] = ""
    observation_settings: Annotated[
        ObservationSettings, Meta(description="Each run gets the settings that apply to its observation.")
    ] = field(default_factory=ObservationSettings)
    grammar: Annotated[str, choice(grammars.GRAMMARS)] = grammars.DEFAULT
    history: History = histories.DEFAULT
    actions_per_turn: Positive = 1
    token_budget: Positive | None = None
    answer_check: Annotated[str, choice(answer_check.VALUES)] | None = None
    samples: Positive = 1
    looks: LooksIn | None = None
    retest: Annotated[bool, Meta(description="Play a text arm a second time, with other seeds.")] = False
    exclusions: Annotated[list[Annotated[str, string(TEXT_MAX_CHARS)]], Meta(max_length=TEXTS_MAX)] = []
    alpha: Annotated[float, Meta(ge=0.001, le=0.5)] = ALPHA
    margin: Annotated[
        Annotated[float, Meta(ge=0.01, le=100)] | None,
        Meta(description="In points of accuracy; a gap proven to be smaller counts as closed."),
    ] = None
    contrasts: Annotated[list[Contrast], Meta(max_length=TEXTS_MAX)] = []
    smallest_gap: SmallestGapIn | None = None
    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] = 0
    created_at: Annotated[str, string(64, may_be_blank=True)] = ""

    def check(self) -> None:
        if len(set(self.arms)) < len(self.arms):
            raise FieldError("arms", "An arm is named twice.")
        _benchmarks_check(self.benchmarks)
        _contrasts_check(self)
        _arms_check(self)


def _benchmarks_check(benchmarks: list[BenchmarkIn]) -> None:
    if len({benchmark.slug for benchmark in benchmarks}) < len(benchmarks):
        message = "A benchmark is named twice. Name each once, with one split and one limit."
        raise FieldError("benchmarks", message)
    tasks = sum(len(benchmark.task_ids or ()) for benchmark in benchmarks)
    if tasks > TASKS_MAX:
        message = f"{tasks:,} tasks in all; the limit is {TASKS_MAX:,}. Split the plan by benchmarks."
        raise FieldError("benchmarks", message)


def _contrasts_check(plan: PlanIn) -> None:
    """Refuse repeated contrasts, and contrasts of arms that are not in the plan or not scored."""
    seen: set[frozenset[str]] = set()
    for pair in plan.contrasts:
        for arm in pair:
            if arm not in plan.arms:
                raise FieldError("contrasts", f"The arm {arm[:100]!r} is not among the plan's arms.")
            if ARMS[arm.partition(":")[0]].is_probe:
                raise FieldError("contrasts", f"{arm} is a probe, which has no accuracy to compare.")
        if pair[0] == pair[1]:
            raise FieldError("contrasts", f"{pair[0]} is compared with itself.")
        if frozenset(pair) in seen:
            raise FieldError("contrasts", f"{pair[0]} and {pair[1]} are compared twice, in either order.")
        seen.add(frozenset(pair))


def _arms_check(plan: PlanIn) -> None:
    """Refuse arms that their observation cannot show, and settings that apply to no observation."""
    forms = []
    for planned in plan.arms:
        arm_id, _, own = planned.partition(":")
        arm, form = ARMS[arm_id], OBSERVATION_FORMATS.get(own or plan.observation)
        if own and own == plan.observation:
            message = f"{planned} names the plan's own observation. Write {arm_id} instead."
            raise FieldError("arms", message)
        if arm.has_page and arm.is_pictured and not (form and form.has_screenshot):
            message = (
                f"The arm {arm_id} shows each question as a picture, and {form.id if form else 'an outline'} "
                f"shows none. Name an observation that does, as in {arm_id}:{PICTURED}."
            )
            raise FieldError("arms", message)
        forms += [form] if form else []
    settings = to_plain(plan.observation_settings)
    known = {name for form in forms for name in settings_of(settings, form)}
    if forms and (unused := sorted(settings.keys() - known)):
        message = f"No observation of the plan shows what {unused[0]} limits."
        raise FieldError("observation_settings", message)
