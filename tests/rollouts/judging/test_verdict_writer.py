from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection

from tests import factories
from trajectories.models import Episode, Verdict
from trajectories.record import hot_sql
from trajectories.rollouts.judging.services import VerdictWriter


def _submitted(run: Any) -> Episode:
    episode = factories.episode(run=run)
    factories.submission(episode)
    return episode


def _right(episode: Episode) -> hot_sql.Ending:
    return hot_sql.Ending(
        episode=episode.pk, outcome="correct", reason="answer", verifier="numeric-v1", gold_version=1
    )


def _in_threads(work: Callable[[Episode], Any], episodes: list[Episode]) -> list[Any]:
    outcomes: list[Any] = []

    def guarded(episode: Episode) -> None:
        try:
            outcomes.append(work(episode))
        except DatabaseError as error:
            outcomes.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=guarded, args=(episode,)) for episode in episodes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.django_db(transaction=True)
def test_verdicts_that_wait_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    run = factories.run()
    episodes = [_submitted(run) for _ in range(12)]
    sizes: list[int] = []
    first_is_in, others_are_waiting = threading.Event(), threading.Event()
    finish_many = hot_sql.finish_many

    def slowly(**given: Any) -> list[int]:
        sizes.append(len(given["endings"]))
        first_is_in.set()
        assert others_are_waiting.wait(10)
        return finish_many(**given)

    monkeypatch.setattr(hot_sql, "finish_many", slowly)
    writer = VerdictWriter()

    def work(episode: Episode) -> bool:
        if episode is not episodes[0]:
            assert first_is_in.wait(10)
        return writer.write(run_id=run.pk, verdict=_right(episode))

    watcher = threading.Thread(
        target=lambda: _wait_until(lambda: len(writer._queue) == 11, others_are_waiting)
    )
    watcher.start()
    assert _in_threads(work, episodes) == [True] * 12
    watcher.join()
    assert sizes == [1, 11]
    assert sorted(Verdict.objects.values_list("run_seq", flat=True)) == list(range(1, 13))


def _wait_until(holds: Callable[[], bool], event: threading.Event) -> None:
    pause = threading.Event()
    for _ in range(2000):
        if holds():
            break
        pause.wait(0.005)
    event.set()


@pytest.mark.django_db(transaction=True)
def test_a_refused_verdict_does_not_prevent_the_others() -> None:
    run = factories.run()
    episodes = [_submitted(run) for _ in range(6)]
    bad = episodes[3]
    writer = VerdictWriter()

    def work(episode: Episode) -> bool:
        verdict = _right(episode)
        if episode is bad:
            verdict = hot_sql.Ending(episode=episode.pk, outcome="nonsense", reason="answer")
        return writer.write(run_id=run.pk, verdict=verdict)

    outcomes = _in_threads(work, episodes)
    assert sum(isinstance(one, DatabaseError) for one in outcomes) == 1
    assert Verdict.objects.filter(outcome="correct").count() == 5


@pytest.mark.django_db
def test_an_episode_that_has_ended_keeps_its_verdict() -> None:
    run = factories.run()
    episode = _submitted(run)
    writer = VerdictWriter()
    assert writer.write(run_id=run.pk, verdict=_right(episode))
    assert not writer.write(run_id=run.pk, verdict=_right(episode))
    assert Verdict.objects.count() == 1
