"""The sums of a run are those of its verdicts, whatever happened in which order."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import StringIO
from threading import Barrier, Event, Thread
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction

from tests import factories
from tests.servers import servers
from trajectories.models import EndingSum, Episode, Group, RateSum, Run, TaskSum, Verdict
from trajectories.record import hot_sql

REASONS = {"correct": ["answer"], "incorrect": ["answer", "step_budget"], "void": ["cancelled", "lease_lost"]}


def _stored(run: Run) -> dict[str, Any]:
    endings = EndingSum.objects.filter(run=run, episodes__gt=0)
    tasks = TaskSum.objects.filter(run=run, judged__gt=0)
    rates = RateSum.objects.filter(run=run, judged__gt=0)
    return {
        "endings": {
            (row.arm, row.policy_version, row.is_plain, row.outcome, row.reason): row.episodes
            for row in endings
        },
        "tasks": {(row.scope, row.part, row.task_id): (row.correct, row.judged) for row in tasks},
        "rates": {
            (row.scope, row.part): (
                row.tasks,
                row.correct,
                row.judged,
                row.correct_squared,
                row.correct_times_judged,
                row.judged_squared,
            )
            for row in rates
        },
        "groups": dict(
            Group.objects.filter(run=run, completed_seq__isnull=False).values_list("pk", "completed_seq")
        ),
    }


def _counted(run: Run) -> dict[str, Any]:
    """The same, from the episodes themselves."""
    ended = list(Episode.objects.filter(run=run, verdict__isnull=False).select_related("verdict"))
    tasks: dict[tuple[str, str, int], tuple[int, int]] = {}
    for episode in ended:
        if not episode.is_plain or episode.verdict.outcome == "void":
            continue
        version = "" if episode.policy_version is None else str(episode.policy_version)
        for scope, part in (("run", ""), ("arm", episode.arm), ("version", version)):
            k, n = tasks.get((scope, part, episode.task_id), (0, 0))
            tasks[scope, part, episode.task_id] = (k + (episode.verdict.outcome == "correct"), n + 1)
    rates: dict[tuple[str, str], tuple[int, ...]] = {}
    for (scope, part, _), (k, n) in tasks.items():
        before = rates.get((scope, part), (0,) * 6)
        added = (1, k, n, k * k, k * n, n * n)
        rates[scope, part] = tuple(old + new for old, new in zip(before, added, strict=True))
    endings = Counter(
        (e.arm, e.policy_version, e.is_plain, e.verdict.outcome, e.verdict.reason) for e in ended
    )
    return {"endings": dict(endings), "tasks": tasks, "rates": rates, "groups": _completions(run)}


def _completions(run: Run) -> dict[int, int]:
    places: dict[int, int] = {}
    for group in Group.objects.filter(run=run):
        seqs = Verdict.objects.filter(episode__group=group, run_seq__isnull=False).values_list("run_seq")
        if seqs and not group.episodes.filter(verdict=None).exists():
            places[group.pk] = max(seq for (seq,) in seqs)
    return places


def _finish(run: Run, episodes: list[Episode], rng: random.Random) -> None:
    endings = []
    for episode in episodes:
        outcome = rng.choice(["correct", "incorrect", "void"])
        endings.append(
            hot_sql.Ending(episode=episode.pk, outcome=outcome, reason=rng.choice(REASONS[outcome]))
        )
    hot_sql.finish_many(run_id=run.pk, endings=endings, statuses=["open", "submitted"])


def _rejudge(episode: Episode, outcome: str, number: int) -> None:
    verdict = Verdict.objects.create(
        episode=episode,
        run_id=episode.run_id,
        outcome=outcome,
        reward=float(outcome == "correct"),
        reason="answer",
        terminated=True,
        truncated=False,
        verifier=f"later-v{number}",
    )
    hot_sql.verdict_replace(run_id=episode.run_id, episode_id=episode.pk, verdict_id=verdict.pk)


def _open(groups: list[Group], rng: random.Random) -> Episode:
    group = rng.choice(groups)
    guidance = rng.choice([None, None, {"kind": "hint"}])
    return factories.episode(group=group, policy_version=group.policy_version, guidance=guidance)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(8))
def test_sums_equal_a_full_count_after_any_history(seed: int) -> None:
    rng = random.Random(seed)
    run, tasks = factories.run(), [factories.task() for _ in range(3)]
    groups = [
        factories.group(run=run, task=task, arm=rng.choice(["gym", "gym_with_text"]), policy_version=version)
        for task in tasks
        for version in (None, 1, 2)
    ]
    unfinished: list[Episode] = []
    for number in range(60):
        does = rng.choice(["open", "open", "finish", "finish again", "rejudge"])
        if does == "open":
            unfinished += [_open(groups, rng) for _ in range(rng.randint(1, 4))]
        elif does == "finish":
            rng.shuffle(unfinished)
            count = rng.randint(0, 4)
            _finish(run, unfinished[:count], rng)
            unfinished = unfinished[count:]
        elif ended := list(Episode.objects.filter(run=run, verdict__isnull=False)):
            if does == "rejudge":
                _rejudge(rng.choice(ended), rng.choice(["correct", "incorrect"]), number)
            else:
                _finish(run, rng.sample(ended, 1), rng)
    _finish(run, unfinished, rng)
    assert len(_counted(run)["rates"]) >= 5
    assert _stored(run) == _counted(run)
    assert hot_sql.sums_rebuild(run_id=run.pk) == 0


@pytest.mark.django_db
def test_sums_of_another_run_stay() -> None:
    task = factories.task()
    first, second = (factories.episode(run=factories.run(), task=task) for _ in range(2))
    factories.verdict(first)
    factories.verdict(second, "incorrect")
    assert [_stored(one.run) for one in (first, second)] == [_counted(one.run) for one in (first, second)]


@pytest.mark.django_db
def test_sums_are_rebuilt_from_the_verdicts() -> None:
    rng, run = random.Random(3), factories.run()
    groups = [factories.group(run=run, policy_version=version) for version in (None, 4)]
    _finish(run, [_open(groups, rng) for _ in range(20)], rng)
    _open(groups[:1], rng)
    whole = _stored(run)
    EndingSum.objects.filter(run=run).update(episodes=7)
    TaskSum.objects.filter(run=run).delete()
    RateSum.objects.filter(run=run).update(judged=1)
    Group.objects.filter(pk=groups[1].pk).update(completed_seq=None, ended=0)
    call_command("rebuild_sums", "--run", str(run.pk), stdout=(printed := StringIO()))
    assert re.fullmatch(r"Sums of 1 runs computed; [1-9]\d* rows were wrong.\n", printed.getvalue())
    assert _stored(run) == whole
    assert dict(Group.objects.values_list("pk", "ended")) == {
        group.pk: group.episodes.filter(verdict__isnull=False).count() for group in groups
    }


@pytest.mark.django_db(transaction=True)
def test_verdicts_of_several_workers_at_once_are_all_counted() -> None:
    """Two workers end the last two episodes of each group at the same time."""
    workers, run = 4, factories.run()
    groups = [factories.group(run=run, policy_version=number % 3) for number in range(12)]
    lanes = [
        [factories.episode(group=group, policy_version=group.policy_version) for group in groups]
        for _ in range(workers)
    ]
    together = Barrier(workers)

    def work(lane: int) -> None:
        rng = random.Random(lane)
        for episode in lanes[lane]:
            together.wait()
            _finish(run, [episode], rng)
        connection.close()

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(work, range(workers)))
    assert len(_completions(run)) == len(groups)
    assert _stored(run) == _counted(run)


@pytest.mark.django_db(transaction=True)
def test_a_rejudgement_beside_verdicts_is_counted_once() -> None:
    rng, run = random.Random(5), factories.run()
    task = factories.task()
    ended = [factories.episode(run=run, task=task) for _ in range(10)]
    _finish(run, ended, rng)
    more = [factories.episode(run=run, task=task) for _ in range(30)]

    def judge() -> None:
        for episode in more:
            _finish(run, [episode], random.Random(episode.pk))
        connection.close()

    def again() -> None:
        for number, episode in enumerate(ended * 2):
            with transaction.atomic():
                _rejudge(episode, ("correct", "incorrect")[number % 2], number)
        connection.close()

    _at_once(judge, again)
    assert _stored(run) == _counted(run)


@pytest.mark.django_db(transaction=True)
def test_sums_survive_the_death_of_the_connections_that_write_them() -> None:
    run = factories.run()
    group = factories.group(run=run)
    episodes = [factories.episode(group=group) for _ in range(150)]
    is_over, killed = Event(), Counter[str]()

    def work(part: list[Episode]) -> None:
        for few in _parts(part, 3):
            try:
                _finish(run, few, random.Random(few[0].pk))
            except OperationalError:
                connection.close()
        connection.close()

    def kill() -> None:
        """Let the workers queue for the run's counter, and end those that wait."""
        url = servers.role_url("owner", database=connection.settings_dict["NAME"])
        while not is_over.wait(0.01):
            with psycopg.connect(url) as owner:
                owner.execute(
                    "SELECT 1 FROM trajectories_verdictcounter WHERE run_id = %s FOR UPDATE", [run.pk]
                )
                is_over.wait(0.02)
                dead = owner.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE wait_event_type = 'Lock' AND query LIKE 'WITH input%'"
                )
                killed["connections"] += len(dead.fetchall())

    killer = Thread(target=kill)
    killer.start()
    try:
        _at_once(*(partial(work, part) for part in _parts(episodes, 50)))
    finally:
        is_over.set()
        killer.join()
    assert killed["connections"] > 0
    assert _stored(run) == _counted(run)


def _parts(episodes: list[Episode], size: int) -> list[list[Episode]]:
    return [episodes[first : first + size] for first in range(0, len(episodes), size)]


def _at_once(*functions: Callable[[], None]) -> None:
    with ThreadPoolExecutor(len(functions)) as threads:
        for done in [threads.submit(function) for function in functions]:
            done.result()
