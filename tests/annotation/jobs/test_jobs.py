"""Long work on labels: sent, done, paused, lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from core import due_work, long_work
from core import jobs as core_jobs
from core.errors import GymError
from core.long_work import BROKEN
from tests.annotation import scene
from trajectories.annotation.jobs import jobs, registry, services
from trajectories.annotation.jobs.registry import Work
from trajectories.models import AnnotationJob

pytestmark = pytest.mark.django_db

CALLS: list[int] = []


def ten_rows(job: AnnotationJob, progress: long_work.Progress) -> dict[str, Any]:
    """Does ten rows, of which some may be done already."""
    for row in range(job.done, 10):
        CALLS.append(row)
        progress(row + 1, 10)
    return {"rows": 10, "problem": "One row was left out."}


def refused(job: AnnotationJob, progress: long_work.Progress) -> dict[str, Any]:
    raise GymError("bad_file", "Line 3 has no step.")


def broken(job: AnnotationJob, progress: long_work.Progress) -> dict[str, Any]:
    raise ZeroDivisionError("by zero")


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> AnnotationJob:
    CALLS.clear()
    does(monkeypatch, ten_rows)
    project = scene.project(scene.labeller("ana"))
    return services.job_request(project, "export", {}, user_id=None)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    numbers: list[int] = []

    def send(job: Any, queue: Any, *, job_id: int) -> bool:
        numbers.append(job_id)
        return True

    monkeypatch.setattr(core_jobs, "job_send", send)
    return numbers


def does(monkeypatch: pytest.MonkeyPatch, do: Callable[..., Any], *, is_resumable: bool = True) -> None:
    work = Work(address=f"{__name__}.{do.__name__}", is_resumable=is_resumable)
    monkeypatch.setitem(registry.WORK, "export", work)


def lose(job: AnnotationJob) -> None:
    """A worker takes the job and dies; then its time passes."""
    AnnotationJob.objects.filter(pk=job.pk, state="waiting").update(state="running", claims=job.claims + 1)
    AnnotationJob.objects.filter(pk=job.pk).update(sent_at=Now() - timedelta(seconds=due_work.AGAIN_S + 1))
    job.refresh_from_db()


def test_a_job_is_done_once_and_says_what_came_of_it(job: AnnotationJob) -> None:
    assert services.job_do(job.pk)
    assert not services.job_do(job.pk)

    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == ("done", 10, 10, {"rows": 10})
    assert job.problem == "One row was left out."
    assert job.finished_at is not None
    assert job.requested_at is None
    assert list(range(10)) == CALLS


def test_work_longer_than_a_workers_time_goes_on_where_it_stopped(
    job: AnnotationJob, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "PAUSE_S", -1.0)

    for _ in range(10):
        jobs.annotation_jobs_send()
        services.job_do(job.pk)

    job.refresh_from_db()
    assert (job.state, job.done) == ("done", 10)
    assert list(range(10)) == CALLS
    assert sent == [job.pk] * 10  # far more than a worker may lose


def test_work_that_cannot_go_on_is_not_paused(job: AnnotationJob, monkeypatch: pytest.MonkeyPatch) -> None:
    does(monkeypatch, ten_rows, is_resumable=False)
    monkeypatch.setattr(long_work, "PAUSE_S", -1.0)

    services.job_do(job.pk)

    job.refresh_from_db()
    assert job.state == "done"


def test_what_is_refused_says_so_and_what_breaks_is_raised_too(
    job: AnnotationJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    does(monkeypatch, refused)
    services.job_do(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", "Line 3 has no step.")

    does(monkeypatch, broken)
    AnnotationJob.objects.filter(pk=job.pk).update(requested_at=Now(), state="waiting")
    with pytest.raises(ZeroDivisionError):
        services.job_do(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("failed", f"{BROKEN}\nZeroDivisionError: by zero")


def test_a_kind_without_work_fails_and_says_what_to_do(
    job: AnnotationJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.WORK, "export", Work(address="trajectories.nowhere.do", is_resumable=False))
    services.job_do(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "Restart the workers" in job.problem


def test_work_that_kills_its_workers_fails_and_says_why(job: AnnotationJob, sent: list[int]) -> None:
    for _ in range(due_work.CLAIMS_MAX + 2):
        jobs.annotation_jobs_send()
        lose(job)

    assert sent == [job.pk] * due_work.CLAIMS_MAX
    assert job.state == "failed"
    assert "lost 3 times" in job.problem


def test_work_that_the_queue_refuses_stays_due(job: AnnotationJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_jobs, "job_send", lambda *_args, **_ids: False)
    assert jobs.annotation_jobs_send() == 0
    job.refresh_from_db()
    assert job.sent_at is None
