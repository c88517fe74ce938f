"""The sweeper goes on when Postgres or the queue goes away."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError as QueueUnreachable

from core.work import queues
from tasks_app.models import Gold
from tests import factories
from tests.servers import servers
from trajectories.models import Submission
from trajectories.record import hot_sql
from trajectories.record.chores import loop
from trajectories.rollouts.judging import jobs, queue_sql, sweeper, worker_locks


class Queue:
    """Takes so many jobs, then none."""

    name = "judging.judge"

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[int] = []
        self.queues: list[str] = []

    def apply_async(self, *, kwargs: dict[str, int], queue: str, retry: bool, headers: object) -> None:
        if len(self.taken) == self.room:
            raise QueueUnreachable
        self.taken.append(kwargs["episode_id"])
        self.queues.append(queue)


@pytest.fixture
def waiting(db: None, settings: Any) -> list[int]:
    """Three submissions that are all due."""
    settings.RESEND_AFTER_S = [60.0]
    episodes = [factories.episode() for _ in range(3)]
    for episode in episodes:
        factories.submission(episode)
    return [episode.pk for episode in episodes]


def test_only_jobs_that_the_queue_accepted_are_marked_as_sent(waiting: list[int], monkeypatch: Any) -> None:
    queue = Queue(room=1)
    monkeypatch.setattr(jobs, "judge", queue)
    assert sweeper.resend() == 1
    marked = Submission.objects.filter(sends=1, sent_at__isnull=False)
    assert list(marked.values_list("pk", flat=True)) == queue.taken
    queue.room = 3
    assert sweeper.resend() == 2
    assert sorted(queue.taken) == waiting


def test_a_resent_job_is_not_sent_before_the_next_back_off(waiting: list[int], monkeypatch: Any) -> None:
    monkeypatch.setattr(jobs, "judge", Queue(room=10))
    assert sweeper.resend() == 3
    assert sweeper.resend() == 0


def test_the_back_off_grows_with_every_send(waiting: list[int], settings: Any, monkeypatch: Any) -> None:
    settings.RESEND_AFTER_S = [5.0, 60.0]
    monkeypatch.setattr(jobs, "judge", Queue(room=10))
    for sends, due in ((1, 3), (2, 0)):
        Submission.objects.update(sends=sends, sent_at=Now() - timedelta(seconds=10))
        assert sweeper.resend() == due


@pytest.mark.django_db
@pytest.mark.parametrize("verifiers", [("code-v1", "numeric-v1"), ("numeric-v1", "code_strict-v1")])
def test_programs_go_to_the_workers_with_a_sandbox(monkeypatch: Any, verifiers: tuple[str, str]) -> None:
    official, training = verifiers
    benchmark = factories.benchmark(id="programs", verifier_official=official, verifier_training=training)
    program = factories.episode(task=factories.task(benchmark=benchmark))
    number = factories.episode()
    queue = Queue(room=10)
    monkeypatch.setattr(jobs, "judge", queue)
    monkeypatch.setattr(jobs, "judge_program", queue)
    assert sweeper.jobs_send([program.pk, number.pk]) == [program.pk, number.pk]
    assert queue.queues == ["sandbox", "verify"]
    assert sweeper.jobs_send([program.pk, number.pk], leaving_out={queues.VERIFY}) == [program.pk]


@pytest.mark.django_db
def test_only_puzzles_with_a_scorer_to_run_go_to_a_sandbox(monkeypatch: Any) -> None:
    puzzles = factories.benchmark(
        id="reasoning_gym", verifier_official="reasoning_gym-v1", verifier_training="reasoning_gym-v1"
    )
    episodes = []
    for dataset in ("chain_sum", "jugs", "simple_integration", None):
        task = factories.task(benchmark=puzzles)
        Gold.objects.filter(task=task).update(extra={"dataset": dataset} if dataset else {})
        episodes.append(factories.episode(task=task).pk)
    queue = Queue(room=10)
    monkeypatch.setattr(jobs, "judge", queue)
    monkeypatch.setattr(jobs, "judge_program", queue)
    assert sweeper.jobs_send(episodes) == episodes
    assert queue.queues == ["verify", "sandbox", "verify", "verify"]


@pytest.mark.django_db
def test_sending_no_jobs_makes_no_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert sweeper.jobs_send([]) == []


@pytest.mark.django_db(transaction=True)
def test_a_database_lost_during_a_chore_does_not_end_the_sweeper(monkeypatch: Any) -> None:
    stop = Event()
    failures = iter([OperationalError("terminating connection"), OperationalError("connection refused")])

    def resend() -> None:
        for failure in failures:
            raise failure
        stop.set()

    monkeypatch.setattr(sweeper, "resend", resend)
    monkeypatch.setattr(sweeper, "RESEND_EVERY_S", 0.01)
    monkeypatch.setattr(loop, "RECONNECT_S", 0.01)
    sweeper.sweep_forever(stop=stop)
    assert stop.is_set()


def test_a_submission_is_sent_once_however_many_notices_come(waiting: list[int], monkeypatch: Any) -> None:
    queue = Queue(room=10)
    monkeypatch.setattr(jobs, "judge", queue)
    assert [sweeper.new_send() for _ in range(3)] == [3, 0, 0]
    assert sorted(queue.taken) == waiting


def test_a_full_queue_gets_no_new_submissions(waiting: list[int], monkeypatch: Any) -> None:
    monkeypatch.setattr(jobs, "judge", Queue(room=10))
    lengths = dict.fromkeys((queues.VERIFY, queues.SANDBOX), sweeper.LONG_QUEUE + 1)
    monkeypatch.setattr(sweeper, "queue_lengths", lambda *_queues: lengths)
    assert sweeper.new_send() == 0
    lengths[queues.VERIFY] = 0
    assert sweeper.new_send() == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", ["arena", "lab", "worker"])
@pytest.mark.parametrize("text", ["nonsense", "-1", "9" * 40, "1.2.3", ""])
def test_a_notice_with_nonsense_only_wakes_the_sweeper(monkeypatch: Any, role: str, text: str) -> None:
    stop, awake = Event(), Event()
    woken: list[str] = []
    monkeypatch.setattr(sweeper, "new_send", lambda: woken.append("submissions"))

    def calls() -> None:
        if not awake.is_set():
            awake.set()  # the first time, before anybody has sent a notice
            with psycopg.connect(_url(role), autocommit=True) as stranger:
                stranger.execute("SELECT pg_notify('submission', %s)", [text])
                stranger.execute("SELECT pg_notify('tool_call', %s)", [text])
        elif woken:
            stop.set()

    monkeypatch.setattr(sweeper, "calls_send_due", calls)
    sweeper.sweep_forever(stop=stop)
    assert woken == ["submissions"]


def _url(role: str) -> str:
    return servers.role_url(role, database=connection.settings_dict["NAME"])


def _claimed_by(worker: int) -> int:
    episode = factories.episode()
    factories.submission(episode)
    assert hot_sql.submission_claim(episode_id=episode.pk, claims_max=3, lost_s=45.0, worker=worker)
    Submission.objects.filter(pk=episode.pk).update(sends=1, sent_at=timezone.now())
    return int(episode.pk)


@pytest.mark.django_db(transaction=True)
def test_claims_of_a_dead_worker_are_sent_again_at_once_and_those_of_a_living_one_are_not(
    monkeypatch: Any,
) -> None:
    queue = Queue(room=10)
    monkeypatch.setattr(jobs, "judge", queue)
    alive, dead = 11, 12
    with psycopg.connect(_url("worker"), autocommit=True) as living:
        living.execute("SELECT pg_advisory_lock(%s, %s)", [worker_locks.LOCK_CLASS, alive])
        with psycopg.connect(_url("worker"), autocommit=True) as dying:
            dying.execute("SELECT pg_advisory_lock(%s, %s)", [worker_locks.LOCK_CLASS, dead])
            _claimed_by(alive)
            lost = _claimed_by(dead)
            chore = sweeper.DeadWorkers()
            assert [chore() for _ in range(3)] == [0, 0, 0]
        while queue_sql.workers_dead() != {dead}:
            pass  # the server ends a session a moment after its client
        assert [chore() for _ in range(3)] == [0, 1, 0]
    assert queue.taken == [lost]
    assert hot_sql.submission_claim(episode_id=lost, claims_max=3, lost_s=45.0, worker=alive)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_takes_its_lock_again_keeps_its_claims() -> None:
    _claimed_by(13)
    chore = sweeper.DeadWorkers()
    assert chore() == 0
    with psycopg.connect(_url("worker"), autocommit=True) as back:
        back.execute("SELECT pg_advisory_lock(%s, %s)", [worker_locks.LOCK_CLASS, 13])
        assert chore() == 0
    assert Submission.objects.filter(claimed_by=13).exists()


@pytest.mark.django_db(transaction=True)
def test_verdicts_on_programs_are_announced_once_by_the_sweeper(monkeypatch: Any) -> None:
    code = factories.benchmark(verifier_official="code-v1", verifier_training="code-v1")
    episodes = [factories.episode(task=factories.task(benchmark=code)) for _ in range(2)]
    for episode in episodes:
        factories.submission(episode)
    monkeypatch.setattr(jobs, "judge_program", Queue(room=10))
    announced: list[tuple[int, list[int]]] = []
    monkeypatch.setattr(
        sweeper.events, "episodes_ended", lambda *, run_id, ids: announced.append((run_id, ids))
    )
    assert sweeper.new_send() == 2
    assert sweeper.programs_announce() == 0
    judged = episodes[0]
    hot_sql.finish_many(
        run_id=judged.run_id,
        endings=[hot_sql.Ending.unjudged(judged.pk, "verifier_error")],
        statuses=["submitted"],
    )
    assert [sweeper.programs_announce() for _ in range(2)] == [1, 0]
    assert announced == [(judged.run_id, [judged.pk])]
