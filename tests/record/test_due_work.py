"""Due work of every kind: sent while it is due, done once, paused, refused, broken, lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db.models.functions import Now

from core.errors import GymError
from core.work import jobs
from tests import factories
from tests.annotation import scene
from trajectories.annotation.jobs import LABEL_WORK, job_request
from trajectories.exports.jobs import EXPORTS
from trajectories.models import AnnotationJob, Export, Report
from trajectories.models.due_work import DueWork
from trajectories.record import due_work
from trajectories.record.due_work import BROKEN, Progress, WorkKind
from trajectories.reports import services
from trajectories.reports.jobs import REPORTS

pytestmark = pytest.mark.django_db


def a_report() -> Report:
    report = factories.report()
    services.report_request(report.pk)
    return report


def an_export() -> Export:
    return Export.objects.create(kind="chat", parameters={}, author="ana", requested_at=Now())


def a_job() -> AnnotationJob:
    return job_request(scene.project(scene.labeller("ana")), "import", {}, user_id=None)


REQUESTS: dict[str, tuple[WorkKind[Any], Callable[[], DueWork]]] = {
    "report": (REPORTS, a_report),
    "export": (EXPORTS, an_export),
    "annotation": (LABEL_WORK, a_job),
}


@dataclass
class Due:
    """A kind of work of ten parts, with a row that is due; ``parts`` are those that were done."""

    kind: WorkKind[Any]
    row: Any
    parts: list[int]

    def do(self, row: DueWork, progress: Progress) -> dict[str, Any]:
        for part in range(len(self.parts), 10):
            self.parts.append(part)
            progress(part + 1, 10)
        return {"result": {"parts": 10}, "problem": "One part was left out."}

    def lose(self) -> None:
        """A worker begins and dies; then its time passes."""
        rows = self.kind.model.objects.filter(pk=self.row.pk)
        rows.filter(state="waiting").update(state=self.row.DOING, claims=self.row.claims + 1)
        self.wait()

    def wait(self) -> None:
        rows = self.kind.model.objects.filter(pk=self.row.pk)
        rows.update(sent_at=Now() - timedelta(seconds=due_work.AGAIN_S + 1))
        self.row.refresh_from_db()


@pytest.fixture(params=REQUESTS)
def due(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Due:
    kind, row = REQUESTS[request.param]
    made = Due(kind=kind, row=row(), parts=[])
    monkeypatch.setattr(kind, "do", made.do)
    made.row.refresh_from_db()
    return made


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    numbers: list[int] = []

    def send(job: Any, queue: Any, *, pk: int) -> bool:
        numbers.append(pk)
        return True

    monkeypatch.setattr(jobs, "job_send", send)
    return numbers


def test_work_is_done_once_and_says_what_came_of_it(due: Due) -> None:
    assert due.kind.run(due.row.pk)
    assert not due.kind.run(due.row.pk)

    due.row.refresh_from_db()
    assert (due.row.state, due.row.result) == (due.row.DONE, {"parts": 10})
    assert (due.row.problem, due.row.claims) == ("One part was left out.", 1)
    assert (due.row.requested_at, due.row.sent_at) == (None, None)
    assert due.parts == list(range(10))


def test_rows_say_how_far_their_work_is() -> None:
    job, report = a_job(), a_report()
    AnnotationJob.objects.filter(pk=job.pk).update(**AnnotationJob.progress_fields(3, 4))
    Report.objects.filter(pk=report.pk).update(**Report.progress_fields(3, 4))
    job.refresh_from_db()
    report.refresh_from_db()
    assert (job.done, job.total, report.progress) == (3, 4, 0.75)


def test_work_that_has_ended_says_so(due: Due) -> None:
    due.kind.run(due.row.pk)
    due.row.refresh_from_db()
    if isinstance(due.row, Report):
        assert due.row.progress == 1.0
    else:
        assert (due.row.done, due.row.total) == (10, 10)
        assert due.row.finished_at is not None


def test_work_longer_than_a_workers_time_goes_on_where_it_stopped(
    due: Due, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_work, "PAUSE_S", -1.0)
    monkeypatch.setattr(due.kind, "is_resumable", lambda row: True)

    for _ in range(10):
        due.kind.send()
        due.kind.run(due.row.pk)

    due.row.refresh_from_db()
    assert due.row.state == due.row.DONE
    assert due.parts == list(range(10))
    assert sent == [due.row.pk] * 10  # far more than workers may lose


def test_work_that_cannot_go_on_is_not_paused(due: Due, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due_work, "PAUSE_S", -1.0)
    monkeypatch.setattr(due.kind, "is_resumable", lambda row: False)

    due.kind.run(due.row.pk)

    due.row.refresh_from_db()
    assert due.row.state == due.row.DONE


def test_exports_imports_and_labels_of_machines_are_paused_reports_and_archives_are_not() -> None:
    is_resumable = LABEL_WORK.is_resumable
    assert [is_resumable(AnnotationJob(kind=kind)) for kind in ("export", "import", "machine")] == [
        False,
        True,
        True,
    ]
    assert (EXPORTS.is_resumable(Export()), REPORTS.is_resumable(Report())) == (True, False)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (GymError("bad_file", "Line 3 has no step."), "Line 3 has no step."),
        (ZeroDivisionError("by zero"), f"{BROKEN}\nZeroDivisionError: by zero"),
        (SoftTimeLimitExceeded(), None),
    ],
)
def test_what_ends_the_work_is_its_problem(
    due: Due, error: Exception, problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(row: DueWork, progress: Progress) -> dict[str, Any]:
        raise error

    monkeypatch.setattr(due.kind, "do", fails)
    try:
        due.kind.run(due.row.pk)
    except type(error):
        assert not isinstance(error, GymError)

    due.row.refresh_from_db()
    assert (due.row.state, due.row.problem) == ("failed", problem or due.kind.too_long)
    assert due.row.requested_at is None


def test_a_refusal_keeps_its_details_and_the_tables_of_an_earlier_computation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(row: DueWork, progress: Progress) -> dict[str, Any]:
        raise GymError("bad", "Bad.", fields={"lines": ["Line 3"]})

    job, report = a_job(), a_report()
    Report.objects.filter(pk=report.pk).update(result={"tables": []})
    for kind, row in ((LABEL_WORK, job), (REPORTS, report)):
        monkeypatch.setattr(kind, "do", refuses)
        kind.run(row.pk)
        row.refresh_from_db()
    assert job.result == {"lines": ["Line 3"]}
    assert report.result == {"tables": []}


def test_a_worker_that_begins_at_once_keeps_its_claim(due: Due, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "job_send", lambda job, queue, *, pk: due.kind.run(pk))

    assert due.kind.send() == 1

    due.row.refresh_from_db()
    assert (due.row.state, due.row.claims) == (due.row.DONE, 1)
    assert due.kind.send() == 0


def test_what_is_done_while_others_are_sent_stays_done(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = a_report(), a_report()
    sent: list[int] = []

    def send(job: Any, queue: Any, *, pk: int) -> bool:
        sent.append(pk)
        Report.objects.filter(pk=second.pk).update(state="ready", requested_at=None)
        return True

    monkeypatch.setattr(jobs, "job_send", send)
    assert REPORTS.send() == 1

    second.refresh_from_db()
    assert (sent, second.state, second.sent_at) == ([first.pk], "ready", None)


def test_work_that_waited_long_is_not_lost_when_it_begins(due: Due, monkeypatch: pytest.MonkeyPatch) -> None:
    due.kind.model.objects.filter(pk=due.row.pk).update(
        sent_at=Now() - timedelta(seconds=due_work.AGAIN_S - 1)
    )
    begun: list[Any] = []

    def do(row: Any, progress: Progress) -> dict[str, Any]:
        begun.append(row.sent_at)
        return {}

    due.row.refresh_from_db()
    monkeypatch.setattr(due.kind, "do", do)

    assert due.kind.run(due.row.pk)
    assert begun[0] - due.row.sent_at >= timedelta(seconds=due_work.AGAIN_S - 1)


def test_what_the_queue_refuses_stays_due_and_ends_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _second = a_report(), a_report()
    tried: list[int] = []

    def send(job: Any, queue: Any, *, pk: int) -> bool:
        tried.append(pk)
        return False

    monkeypatch.setattr(jobs, "job_send", send)
    assert REPORTS.send() == 0

    assert tried == [first.pk]
    assert not Report.objects.filter(sent_at__isnull=False).exists()


def test_work_that_kills_its_workers_fails_and_says_why(due: Due, sent: list[int]) -> None:
    for _ in range(due_work.CLAIMS_MAX + 2):
        due.kind.send()
        due.lose()

    assert sent == [due.row.pk] * due_work.CLAIMS_MAX
    assert (due.row.state, due.row.problem) == ("failed", due.kind.loss)
    assert "lost 3 times" in due.row.problem
    assert due.row.requested_at is None


def test_work_that_no_worker_has_begun_is_sent_for_as_long_as_it_waits(due: Due, sent: list[int]) -> None:
    for _ in range(due_work.CLAIMS_MAX + 2):
        due.kind.send()
        due.wait()

    assert len(sent) == due_work.CLAIMS_MAX + 2
    assert due.row.state == "waiting"


def test_a_failed_report_can_be_computed_again(sent: list[int]) -> None:
    report = factories.report(state="failed", claims=due_work.CLAIMS_MAX, problem=REPORTS.loss)

    services.report_request(report.pk)
    REPORTS.send()

    assert sent == [report.pk]
    assert REPORTS.run(report.pk)
    report.refresh_from_db()
    assert (report.state, report.claims, report.problem) == ("ready", 1, "")


def test_a_job_of_a_kind_without_work_fails_and_says_what_to_do() -> None:
    job = a_job()
    AnnotationJob.objects.filter(pk=job.pk).update(kind="later")
    LABEL_WORK.run(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "Restart the workers" in job.problem
