"""What the metrics say of the database, read with the rights of their own role."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from gymsite.services import metrics
from gymsite.services.metrics import SourceCollector
from tests import factories
from trajectories.models import Submission
from trajectories.wiring import gauges

AsRole = Callable[[str], contextlib.AbstractContextManager[None]]
ROLE = "gym_metrics"


def values(families: Any) -> dict[tuple[str, ...], float]:
    return {
        (sample.name.removeprefix("palaestra_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def _submitted(**fields: Any) -> None:
    episode = factories.episode()
    factories.submission(episode)
    Submission.objects.filter(episode=episode).update(**fields)


def test_unjudged_submissions_are_counted_by_state(as_role: AsRole) -> None:
    now = timezone.now()
    _submitted(received_at=now - timezone.timedelta(seconds=90))
    _submitted(sent_at=now)
    _submitted(sent_at=now, claimed_at=now)
    _submitted(sent_at=now, claimed_at=now, judged_at=now, received_at=now - timezone.timedelta(days=1))
    with as_role(ROLE):
        measured = values(gauges.work_gauges())
    assert [measured["claims", state] for state in gauges.CLAIM_STATES] == [1, 1, 1]
    assert 90 <= measured["oldest_unjudged_submission_seconds",] < 120


def test_an_idle_installation_has_zeros(as_role: AsRole) -> None:
    with as_role(ROLE):
        measured = values(gauges.work_gauges()) | values(gauges.void_gauges())
    assert measured["oldest_unjudged_submission_seconds",] == 0
    assert measured["claims", "new"] == measured["void_share",] == measured["void_alarms", "run"] == 0


def test_voids_are_counted_by_reason_and_alarms_by_kind(as_role: AsRole) -> None:
    run, quiet = factories.run(), factories.run()
    task = factories.task()
    for of, outcome, reason, count in (
        (run, "void", "lease_lost", 20),
        (run, "correct", "answer", 4),
        (quiet, "correct", "answer", 16),
    ):
        for _ in range(count):
            factories.verdict(factories.episode(run=of, task=task, policy_version=1), outcome, reason)
    with as_role(ROLE):
        measured = values(gauges.void_gauges())
    assert measured["void_share",] == 0.5
    assert measured["void_ended",] == 40
    assert measured["voids", "lease_lost"] == 20
    assert measured["void_alarms", "run"] == 1
    assert measured["void_alarms", "policy_version"] == 1


def test_the_oldest_transaction_of_any_role_is_seen_without_its_text(as_role: AsRole) -> None:
    with as_role(ROLE), connection.cursor() as cursor:
        measured = values(gauges.work_gauges())
        assert measured["oldest_transaction_seconds", "snapshot"] >= 0
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename <> current_user AND query LIKE '%S%'"
        )
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM tasks_app_gold",
        "SELECT answer FROM trajectories_submission",
        "SELECT data FROM trajectories_verdictevidence",
        "SELECT close_detail FROM trajectories_episode",
        "SELECT * FROM trajectories_step",
        "UPDATE trajectories_submission SET sent_at = NULL",
    ],
)
def test_the_role_reads_counts_and_times_alone(as_role: AsRole, query: str) -> None:
    with (
        as_role(ROLE),
        connection.cursor() as cursor,
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
    ):
        cursor.execute(query)


class Source:
    """Counts its reads; ``failure`` is raised by them, and ``gate`` holds them up."""

    def __init__(self) -> None:
        self.reads = 0
        self.failure: Exception | None = None
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self) -> Iterator[Metric]:
        self.reads += 1
        self.gate.wait(10)
        if self.failure:
            raise self.failure
        yield GaugeMetricFamily("palaestra_read", "", self.reads)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    monkeypatch.setattr(metrics, "WAIT_S", 0.2)
    made = Source()
    yield made
    made.gate.set()


def test_a_source_is_read_once_however_often_it_is_scraped(source: Source) -> None:
    collector = SourceCollector("tested", source, keep_s=60)
    assert [values(collector.collect()) for _ in range(5)] == [{("tested_readable",): 1, ("read",): 1}] * 5
    assert source.reads == 1


def test_a_source_that_fails_is_left_out_until_it_answers(source: Source) -> None:
    collector = SourceCollector("tested", source, keep_s=0)
    source.failure = OSError("down")
    assert values(collector.collect()) == {("tested_readable",): 0}
    source.failure = None
    assert values(collector.collect()) == {("tested_readable",): 1, ("read",): 2}
    source.failure = OSError("down again")
    assert values(collector.collect()) == {("tested_readable",): 0}


def test_a_source_that_hangs_gives_its_last_answer_and_is_read_once(source: Source) -> None:
    collector = SourceCollector("tested", source, keep_s=0)
    first = values(collector.collect())
    source.gate.clear()
    assert values(collector.collect()) == first
    assert values(collector.collect()) == first
    assert source.reads == 2
    source.gate.set()
    assert values(collector.collect())["tested_readable",] == 1
