"""What every write pays for: no index twice, and none written by what changes a row."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection

from tests import factories
from trajectories.models import Episode
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record import hot_sql

pytestmark = pytest.mark.django_db

NAMES = [column.split()[0] for column in hot_sql.STEP_COLUMNS.split(", ")]
TEXTS = [column.split()[0] for column in hot_sql.STEP_COLUMNS.split(", ") if column.endswith(" text")]
# Tables of ours; those of Django are small.
INDEXES = """
SELECT c.relname, i.indrelid::regclass::text, i.indkey::int[],
    i.indpred IS NOT NULL OR i.indexprs IS NOT NULL,
    pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
WHERE a.amname = 'btree' AND i.indrelid::regclass::text ~ '^(trajectories|tasks_app)_'"""
# Without those that found their page full, as may happen after other tests.
UPDATES = """
SELECT relname, n_tup_upd - n_tup_newpage_upd, n_tup_hot_upd
FROM pg_stat_xact_user_tables WHERE n_tup_upd > n_tup_newpage_upd"""


def _rows(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def test_no_index_is_the_beginning_of_another() -> None:
    whole = [
        (name, table, columns) for name, table, columns, is_special, _ in _rows(INDEXES) if not is_special
    ]
    assert len(whole) > 20
    twice = [
        (name, other)
        for name, table, columns in whole
        for other, other_table, other_columns in whole
        if name != other and table == other_table and other_columns[: len(columns)] == columns
    ]
    assert twice == []


def test_no_index_is_for_prefixes_that_nobody_searches() -> None:
    assert [row[0] for row in _rows(INDEXES) if "pattern_ops" in row[4]] == []


def _updates() -> dict[str, tuple[int, int]]:
    """Updated rows by table, and how many of them wrote no index."""
    return {name.removeprefix("trajectories_"): counts for name, *counts in _rows(UPDATES)}


def _updated(does: Callable[[], object]) -> dict[str, tuple[int, int]]:
    before = _updates()
    does()
    differences = {
        name: tuple(new - old for new, old in zip(counts, before.get(name, (0, 0)), strict=True))
        for name, counts in _updates().items()
    }
    return {name: counts for name, counts in differences.items() if any(counts)}


def _group(size: int) -> list[Episode]:
    group = factories.group(policy_version=3)
    return [factories.episode(group=group, policy_version=3) for _ in range(size)]


def test_a_step_updates_nothing() -> None:
    (episode,) = _group(1)
    step = dict.fromkeys(NAMES) | {"index": 1, "hash": "00", "more": {}, "action_known": True}
    step |= dict.fromkeys(TEXTS, "")
    assert (
        _updated(
            lambda: hot_sql.steps_write(
                episode_id=episode.pk, steps=[step], grace_s=1, project=DEFAULT_PROJECT
            )
        )
        == {}
    )
    assert episode.steps.count() == 1


def test_an_answer_that_arrives_writes_no_index_of_its_episode() -> None:
    (episode,) = _group(1)
    assert _updated(lambda: factories.submission(episode)) == {"episode": (1, 1)}


def test_verdicts_write_no_index_of_what_they_update() -> None:
    """But for the judging queue, which the submission leaves."""
    episodes = _group(4)
    factories.verdict(episodes.pop())
    for episode in episodes:
        factories.submission(episode)
    updated = _updated(lambda: [factories.verdict(episode) for episode in episodes[:2]])
    assert updated.pop("submission") == (2, 0)
    assert {name: hot / rows for name, (rows, hot) in updated.items()} == dict.fromkeys(
        ("episode", "group", "verdictcounter", "endingsum", "tasksum", "ratesum", "versionsum"), 1.0
    )


def test_an_ending_without_a_verdict_of_its_answer_writes_no_index_either() -> None:
    episodes = _group(4)
    updated = _updated(lambda: [factories.verdict(one, "void", "lease_lost") for one in episodes[:3]])
    assert {name: hot / rows for name, (rows, hot) in updated.items()} == dict.fromkeys(
        ("episode", "group", "verdictcounter", "endingsum", "versionsum"), 1.0
    )


def test_the_end_of_a_group_writes_the_indexes_of_its_row_alone() -> None:
    *others, last = _group(3)
    for episode in others:
        factories.verdict(episode)
    updated = _updated(lambda: factories.verdict(last))
    assert updated.pop("group") == (1, 0)
    assert {hot / rows for rows, hot in updated.values()} == {1.0}


def test_rows_that_change_leave_space_for_their_next_version() -> None:
    tables = _rows("SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL AND relkind = 'r'")
    filled = {name.removeprefix("trajectories_") for name, options in tables if "fillfactor=80" in options}
    assert filled >= {"episode", "group", "tasksum"}
