"""Exports that a client reads slowly: no transaction stays open, and no row repeats or gets lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection
from django.http import QueryDict
from django.utils import timezone

from tasks_app import selectors as task_selectors
from tests import factories
from trajectories.lab.episode_files import html_file
from trajectories.lab.search.exports import EXPORTS
from trajectories.lab.search.request import SearchRequest
from trajectories.models import Episode, Group, Run
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import selectors

READER = Principal(key_id=0, name="reader", scopes=frozenset({"read", "golds"}), splits=frozenset())
EPISODES = 7
SEARCHED = sorted(EXPORTS)

pytestmark = pytest.mark.django_db(transaction=True)


def _run_lines(run: Run) -> Iterator[bytes]:
    return selectors.trajectory_lines(run=run, principal=READER)


def _tasks(_run: Run) -> Iterator[bytes]:
    return task_selectors.tasks_export(task_selectors.TaskFilter())


def _golds(_run: Run) -> Iterator[bytes]:
    return task_selectors.golds_export(task_selectors.TaskFilter())


def _page(run: Run) -> Iterator[bytes]:
    return html_file.episode_html(Episode.objects.filter(run=run).order_by("pk")[0], golds=True)


def _searched(name: str) -> Callable[[Run], Iterator[bytes]]:
    def export(_run: Run) -> Iterator[bytes]:
        return EXPORTS[name].lines(SearchRequest(QueryDict()), principal=READER, now=timezone.now())

    return export


EXPORTED = {
    "trajectories": _run_lines,
    "tasks": _tasks,
    "golds": _golds,
    "html": _page,
    **{name: _searched(name) for name in SEARCHED},
}


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Group:
    """A group of episodes with steps, which takes several batches of every export."""
    for module, name in (
        (selectors, "FETCHED_ROWS"),
        (selectors, "BATCH_IDS"),
        (task_selectors, "EXPORT_BATCH"),
        (html_file, "FETCHED_STEPS"),
    ):
        monkeypatch.setattr(module, name, 2)
    monkeypatch.setattr("trajectories.lab.search.exports.EPISODES_AT_ONCE", 2)
    monkeypatch.setattr("trajectories.lab.search.selectors.EXPORTED_AT_ONCE", 2)
    made = factories.group(run=factories.run())
    for _ in range(EPISODES):
        factories.step(factories.episode(group=made), 1)
        factories.task()
    for index in range(2, 8):
        factories.step(made.episodes.order_by("pk")[0], index)
    return made


@pytest.mark.parametrize("name", EXPORTED)
def test_a_half_read_export_holds_no_transaction(group: Group, name: str) -> None:
    blocks = EXPORTED[name](group.run)
    next(blocks)
    pid = connection.connection.info.backend_pid
    address = connection.get_connection_params()
    with psycopg.connect(
        host=address["host"], dbname=address["dbname"], user=address["user"], password=address["password"]
    ) as observer:
        for _ in range(3):
            query = "SELECT state, xact_start, backend_xmin FROM pg_stat_activity WHERE pid = %s"
            assert observer.execute(query, [pid]).fetchone() == ("idle", None, None)
            observer.rollback()
            next(blocks, None)


@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_goes_on_with_another_connection(group: Group, name: str) -> None:
    """The door gives the connection back between blocks."""
    whole = b"".join(EXPORTED[name](group.run))
    parts = []
    for block in EXPORTED[name](group.run):
        parts.append(block)
        connection.close()
    assert b"".join(parts).count(b"\n") == whole.count(b"\n")


def test_rows_neither_repeat_nor_get_lost_while_others_are_added(group: Group) -> None:
    there = sorted(group.run.episodes.values_list("pk", flat=True))
    read = []
    for line in _run_lines(group.run):
        read.append(json.loads(line)["id"])
        factories.episode(group=group)
    assert read == there


def test_tasks_neither_repeat_nor_get_lost_while_others_are_added(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_selectors, "EXPORT_BLOCK_BYTES", 1)
    for exported, field in ((_tasks, "id"), (_golds, "task")):
        there = [json.loads(line)[field] for line in b"".join(exported(group.run)).splitlines()]
        read = []
        for line in exported(group.run):
            read.append(json.loads(line)[field])
            factories.task()
        assert read == there == sorted(set(there))
