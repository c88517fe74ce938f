"""The chore that sends computations of reports."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from core import due_work
from core import jobs as core_jobs
from tests import factories
from trajectories.models import Report
from trajectories.reports import jobs, services
from trajectories.reports.computation import report_compute

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    reports: list[int] = []

    def send(job: Any, queue: Any, *, report_id: int) -> bool:
        reports.append(report_id)
        return True

    monkeypatch.setattr(core_jobs, "job_send", send)
    return reports


def lose(report: Report) -> None:
    """A worker takes the computation and dies; then its time passes."""
    Report.objects.filter(pk=report.pk, state="waiting").update(state="computing", claims=report.claims + 1)
    pass_time(report)


def pass_time(report: Report) -> None:
    Report.objects.filter(pk=report.pk).update(sent_at=Now() - timedelta(seconds=due_work.AGAIN_S + 1))
    report.refresh_from_db()


def test_a_computation_that_kills_its_workers_fails_and_says_why(sent: list[int]) -> None:
    report = factories.report()
    services.report_request(report.pk)

    for _ in range(due_work.CLAIMS_MAX + 2):
        jobs.reports_send()
        lose(report)

    assert sent == [report.pk] * due_work.CLAIMS_MAX
    assert report.state == "failed"
    assert report.requested_at is None
    assert "lost 3 times" in report.problem


def test_a_computation_that_no_worker_has_taken_is_sent_for_as_long_as_it_waits(sent: list[int]) -> None:
    report = factories.report()
    services.report_request(report.pk)

    for _ in range(due_work.CLAIMS_MAX + 2):
        jobs.reports_send()
        pass_time(report)

    assert len(sent) == due_work.CLAIMS_MAX + 2
    assert report.state == "waiting"


def test_a_failed_report_can_be_computed_again(sent: list[int]) -> None:
    report = factories.report(state="failed", claims=due_work.CLAIMS_MAX, problem=jobs.LOST)

    services.report_request(report.pk)
    jobs.reports_send()

    assert sent == [report.pk]
    assert report_compute(report.pk)
    report.refresh_from_db()
    assert (report.state, report.claims, report.problem) == ("ready", 1, "")
