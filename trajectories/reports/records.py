"""Bodies, queries and records of the calls about reports."""

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
        PlanIn,
        Meta(description="The analysis plan, as it stands in the plan's file. It is stored as it is sent."),
    ]


class ReportCreated(Struct):
    id: int
    plan_sha256: Annotated[
        str, Meta(description="Over the plan as JSON with sorted keys, without spaces, in UTF-8.")
    ]
    url: Annotated[str, Meta(description="The report's page.")]


class ReportSummary(ReportCreated):
    name: str
    state: Report.State
    progress: Annotated[float, Meta(description="Of the computation, 0 to 1.")]
    problem: Annotated[str, Meta(description="Why the computation failed.")]
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
            "episodes that were classified, by class. Null at first."
        ),
    ]
    stale: Annotated[bool, Meta(description="Verdicts or runs have come since it was computed.")]


class ReportPage(Struct):
    results: list[ReportSummary]
    next: str | None


class ReportsQuery(Query, kw_only=True):
    pass


class RowsQuery(Body, kw_only=True):
    format: Annotated[str, choice(ROWS)] = "jsonl"


class RowRecord(Struct):
    """One episode; forked, guided, cancelled and unused ones are left out."""

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
    disputed: Annotated[bool, Meta(description="Its gold is disputed.")]
    score: Annotated[
        float | None,
        Meta(
            description="0 to 1, where the verifier has one; of a reading probe 1 less the "
            "distance of the copy."
        ),
    ]
    token_budget: int | None
    step_limit: Annotated[
        int | None, Meta(description="As the opening call states it; null for the task's own.")
    ]
    answer_channel: str
    examples: Annotated[int, Meta(description="Solved tasks in the prompt.")]
    content: Annotated[
        str,
        Meta(
            description="What its opening call fixes of the question beside the look (choice order, "
            "...), as JSON."
        ),
    ]
    loss: Annotated[
        str | None,
        Meta(
            description="Heuristic: where it was lost, as the table `losses` had it when the report was last "
            "computed. Null unless it was classified."
        ),
    ]
