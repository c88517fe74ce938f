"""Bodies, queries and records of the calls about reports."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.fields import JsonObjectField, StrictSerializer, SuggestingChoiceField, TextField
from core.paging import Query
from trajectories.models import Report
from trajectories.reports.exports import ROWS
from trajectories.reports.plan import PlanIn


class ReportIn(StrictSerializer):
    name = TextField(max_length=200)
    plan = PlanIn(help_text="The analysis plan, as it stands in the plan's file. It is stored as it is sent.")


class ReportCreated(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    plan_sha256 = serializers.CharField(
        help_text="Over the plan as JSON with sorted keys, without spaces, in UTF-8."
    )
    url = serializers.CharField(help_text="The report's page.")


class ReportSummary(ReportCreated):
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=Report.State.values)
    progress = serializers.FloatField(help_text="Of the computation, 0 to 1.")
    problem = serializers.CharField(help_text="Why the computation failed.")
    created_at = serializers.DateTimeField()
    computed_at = serializers.DateTimeField(allow_null=True)


class ReportRunRecord(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    model = serializers.CharField()
    retest = serializers.BooleanField()


class ReportDetail(ReportSummary):
    plan = JsonObjectField()
    runs = ReportRunRecord(many=True)
    result = JsonObjectField(
        allow_null=True,
        help_text=(
            "`tables`: `{id, title, columns: [{id, title, unit}], rows, notes}`; `losses`: the episodes that "
            "were classified, by class. Null at first."
        ),
    )
    stale = serializers.BooleanField(help_text="Verdicts or runs have come since it was computed.")


class ReportPage(serializers.Serializer[Any]):
    results = ReportSummary(many=True)
    next = serializers.CharField(allow_null=True)


class ReportsQuery(Query):
    pass


class RowsQuery(StrictSerializer):
    format = SuggestingChoiceField(choices=list(ROWS), default="jsonl")


class RowRecord(serializers.Serializer[Any]):
    """One episode; forked, guided, cancelled and unused ones are left out."""

    episode = serializers.IntegerField()
    run = serializers.IntegerField()
    benchmark = serializers.CharField()
    split = serializers.CharField()
    task = serializers.IntegerField(help_text="The item.")
    key = serializers.CharField()
    arm = serializers.CharField()
    observation = serializers.CharField(help_text="Empty in arms without a page.")
    retest = serializers.BooleanField()
    sample = serializers.IntegerField()
    look = serializers.CharField(help_text="Empty in arms without a page.")
    outcome = serializers.CharField(allow_null=True, help_text="Null until there is a verdict.")
    reason = serializers.CharField(allow_null=True)
    policy_version = serializers.IntegerField(allow_null=True)
    prompts = serializers.CharField(help_text="The version of the prompts.")
    guess_rate = serializers.FloatField()
    gap_eligible = serializers.BooleanField()
    is_site = serializers.BooleanField()
    disputed = serializers.BooleanField(help_text="Its gold is disputed.")
    score = serializers.FloatField(
        allow_null=True,
        help_text="0 to 1, where the verifier has one; of a reading probe 1 less the distance of the copy.",
    )
    token_budget = serializers.IntegerField(allow_null=True)
    step_limit = serializers.IntegerField(
        allow_null=True, help_text="As the opening call states it; null for the task's own."
    )
    answer_channel = serializers.CharField()
    examples = serializers.IntegerField(help_text="Solved tasks in the prompt.")
    content = serializers.CharField(
        help_text="What its opening call fixes of the question beside the look (choice order, ...), as JSON."
    )
    loss = serializers.CharField(
        allow_null=True,
        help_text=(
            "Heuristic: where it was lost, as the table `losses` had it when the report was last computed. "
            "Null unless it was classified."
        ),
    )
