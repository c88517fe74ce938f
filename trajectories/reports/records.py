"""Request bodies, queries and response records of the API calls for reports."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from core.api.paging import Query
from core.structs.bodies import Body
from core.structs.fields import Moment, choice, string
from trajectories.models import Report
from trajectories.reports.exports import ROWS
from trajectories.reports.plan import PlanIn


class ReportIn(Body, kw_only=True):
    name: Annotated[str, string(200)]
    plan: Annotated[
        PlanIn, Meta(description="The analysis plan, as in the plan's file. It is stored as it is sent.")
    ]


class ReportCreated(Struct):
    id: int
    plan_sha256: Annotated[
        str, Meta(description="The hash of the plan as JSON with sorted keys and no spaces, in UTF-8.")
    ]
    url: Annotated[str, Meta(description="The report's page.")]


class ReportSummary(ReportCreated):
    name: str
    state: Report.State
    progress: Annotated[float, Meta(description="Progress of the computation, 0 to 1.")]
    problem: Annotated[str, Meta(description="The reason why the computation failed.")]
    created_at: Moment
    computed_at: Moment | None


class ReportRunRecord(Struct):
    id: int
    name: str
    model: str
    retest: bool


class ReportDetail(ReportSummary):
    plan: dict[str, Any]
    runs: list[ReportRunRecord]
    result: Annotated[
        dict[str, Any] | None,
        Meta(
            description="`tables`: `{id, title, columns: [{id, title, unit}], rows, notes}`; `losses`: the "
            "classified episodes, by class. Null before the first computation."
        ),
    ]
    stale: Annotated[bool, Meta(description="Verdicts or runs have been added since it was computed.")]


class ReportPage(Struct):
    results: list[ReportSummary]
    next: str | None


class ReportsQuery(Query, kw_only=True):
    pass


class RowsQuery(Body, kw_only=True):
    format: Annotated[str, choice(ROWS)] = "jsonl"


class RowRecord(Struct):
    """An episode of a report, which leaves out forked, guided, cancelled and unused episodes."""

    episode: int
    run: int
    benchmark: str
    split: str
    task: Annotated[int, Meta(description="The item.")]
    key: str
    arm: str
    observation: Annotated[str, Meta(description="Empty in arms without a page.")]
    retest: bool
    sample: int
    look: Annotated[str, Meta(description="Empty in arms without a page.")]
    outcome: Annotated[str | None, Meta(description="Null until there is a verdict.")]
    reason: str | None
    policy_version: int | None
    prompts: Annotated[str, Meta(description="The version of the prompts.")]
    guess_rate: float
    gap_eligible: bool
    is_site: bool
    disputed: Annotated[bool, Meta(description="Whether the item's gold is disputed.")]
    score: Annotated[
        float | None,
        Meta(
            description="The verifier's score from 0 to 1, if it has one. For a reading probe it is 1 minus "
            "the distance of the copy."
        ),
    ]
    token_budget: int | None
    step_limit: Annotated[
        int | None, Meta(description="As given by the call that opened it; null for the task's own.")
    ]
    answer_channel: str
    examples: Annotated[int, Meta(description="The number of solved tasks in the prompt.")]
    content: Annotated[
        str,
        Meta(
            description="The parts of the question, besides the look, that the call which opened it fixes "
            "(choice order, ...), as JSON."
        ),
    ]
    loss: Annotated[
        str | None,
        Meta(
            description="Heuristic class of a lost episode, as in the table `losses` when the report was "
            "last computed. Null unless it was classified."
        ),
    ]
