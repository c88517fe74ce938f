"""The result of a run: accuracy by arm, and the paired gaps with the arms that share its tasks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Task
from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Report, Run
from trajectories.reports.estimators import gaps as estimator
from trajectories.reports.jobs import REPORTS
from trajectories.reports.services import report_request
from trajectories.rollouts.runs.pages import gaps
from trajectories.rollouts.runs.pages.family import find_family
from trajectories.rollouts.runs.pages.result import Comparison, Result, comparison_of

pytestmark = pytest.mark.django_db
TASKS = 24


@pytest.fixture
def tasks(db: None) -> list[Task]:
    return [factories.task() for _ in range(TASKS)]


def judge(run: Run, tasks: Sequence[Task], *, arm: str, right: int, looks: bool = False) -> None:
    """One episode of each task, right for the first ``right`` of them."""
    for place, task in enumerate(tasks):
        group = factories.group(run=run, task=task, arm=arm)
        more = {"presentation_hash": f"look {place % 12}"} if looks else {}
        outcome = "correct" if place < right else "incorrect"
        factories.verdict(factories.episode(group=group, **more), outcome)


def evaluation(tasks: Sequence[Task]) -> tuple[Run, Run]:
    """A report's runs of a text arm, with 20 right, and of pages, with 8."""
    report = factories.report()
    text, page = (factories.run(report=report, observation="axtree-v2") for _ in range(2))
    judge(text, tasks, arm="text_zero_shot", right=20)
    judge(page, tasks, arm="gym", right=8, looks=True)
    return text, page


def compared(run: Run) -> tuple[Comparison, Result]:
    comparison = comparison_of(find_family(Run.objects.get(pk=run.pk)))
    own = {arm: tally for (pk, arm), tally in comparison.tallies.items() if pk == run.pk}
    return comparison, Result(comparison, own, formats={})


def test_a_run_is_compared_with_the_other_arms_of_its_evaluation(tasks: list[Task]) -> None:
    text, page = evaluation(tasks)
    _, result = compared(page)
    assert [(row.arm, row.run and row.run.pk, row.tally.correct) for row in result.arms] == [
        ("text_zero_shot", text.pk, 20),
        ("gym", None, 8),
    ]
    (row,) = result.gaps
    assert (row.gap.items, row.gap.a_better, row.gap.b_better, row.points) == (TASKS, 12, 0, "+50.0")
    assert row.gap.low is not None
    assert result.lead == row


def test_the_gap_is_the_reports_own_estimate(tasks: list[Task]) -> None:
    _, page = evaluation(tasks)
    (gap,) = compared(page)[0].gaps
    assert page.report is not None
    page.report.refresh_from_db()
    report_request(page.report.pk)
    assert REPORTS.run(page.report.pk)
    report = Report.objects.get(pk=page.report.pk)
    assert report.result is not None
    (row,) = next(t["rows"] for t in report.result["tables"] if t["id"] == "gaps")
    assert gap.value is not None
    assert gap.low is not None
    assert (round(gap.value * 100, 6), round(gap.low * 100, 6)) == (
        round(row["gap"], 6),
        round(row["low"], 6),
    )


def test_a_large_family_is_compared_from_sums_over_items_alone(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, page = evaluation(tasks)
    whole = compared(page)[0].gaps[0]
    monkeypatch.setattr(gaps, "EPISODES_READ", 0)
    with CaptureQueriesContext(connection) as queries:
        summed = compared(page)[0].gaps[0]
    assert not [
        query for query in queries if "trajectories_episode e" in query["sql"] and "e.id >" in query["sql"]
    ]
    assert (summed.value, summed.items, summed.a_better) == (whole.value, TASKS, 12)
    assert summed.low is not None
    assert summed.note == gaps.ONLY_ITEMS


def test_arms_within_a_run_are_compared_and_few_items_have_no_interval(tasks: list[Task]) -> None:
    run = factories.run(model="")
    judge(run, tasks[:5], arm="text_zero_shot", right=5)
    judge(run, tasks[:5], arm="gym", right=2)
    _, result = compared(run)
    (row,) = result.gaps
    assert (row.gap.value, row.gap.low, row.gap.note) == (0.6, None, estimator.FEW_ITEMS)
    assert result.lead is None


def test_other_runs_of_the_model_count_only_with_its_observation_and_tasks(tasks: list[Task]) -> None:
    page = factories.run(observation="axtree-v2")
    judge(page, tasks[:12], arm="gym", right=3)
    assert "no other run of its model" in compared(page)[1].why_none
    for fields, played in (
        ({"observation": "som-v1"}, tasks[:12]),
        ({"observation": "axtree-v2"}, tasks[12:]),
    ):
        judge(factories.run(**fields), played, arm="text_agent", right=12)
    assert not compared(page)[1].has_others
    newest = factories.run(observation="axtree-v2")
    judge(newest, tasks[:12], arm="text_zero_shot", right=12)
    assert [row.run and row.run.pk for row in compared(page)[1].arms] == [newest.pk, None]


def test_runs_whose_set_ups_differ_have_no_gap(tasks: list[Task], monkeypatch: pytest.MonkeyPatch) -> None:
    report = factories.report()
    text, page = (factories.run(report=report, model=model) for model in ("one", "two"))
    judge(text, tasks, arm="text_zero_shot", right=20)
    judge(page, tasks, arm="gym", right=8)
    for read in (gaps.EPISODES_READ, 0):
        monkeypatch.setattr(gaps, "EPISODES_READ", read)
        (gap,) = compared(page)[0].gaps
        assert (gap.value, gap.note) == (None, "not a gap: the set-ups differ (model one and two)")


def test_the_page_leads_with_the_gap_and_names_the_other_run(
    lab: Lab, owner: User, tasks: list[Task]
) -> None:
    text, page = evaluation(tasks)
    html = lab(owner).get(f"/runs/{page.pk}/").content.decode()
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    assert words.index("Result") < words.index("End reasons")
    assert "modality gap on 24 shared items, 95% interval" in words
    assert f'href="/runs/{text.pk}/"' in html
    assert f"/reports/{page.report_id}/items?" in html
