"""Rewards: every place that pairs outcomes with rewards follows one table."""

from __future__ import annotations

import math
import re
from importlib import import_module
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.episodes.outcomes import reward_sql
from palaestra.protocol.end_reasons import END_REASONS
from palaestra.protocol.outcomes import JUDGED, REWARDS, VOID, outcome_of
from tests import factories
from tests.test_house_rules import ROOT
from trajectories.models import Verdict
from trajectories.record import hot_sql

# Whoever counts by these counts what a trainer is handed, which says nothing of how an episode ended.
COUNTS_REWARDS = re.compile(
    r"(sum|count|bool_or|bool_and)\((DISTINCT )?(\w+\.)?reward\b|\bv\.reward (=|<>|IS )|"
    r"verdict__reward__|\(\"verdict__reward\"|verdict\.reward (is|==)"
)


def test_rewards_are_those_of_outcomes() -> None:
    assert REWARDS == {"correct": 1.0, "incorrect": 0.0, "void": None}
    assert set(REWARDS) == set(Verdict.Outcome.values)
    assert set(JUDGED) == {"correct", "incorrect"}


def test_an_opinion_is_correct_or_incorrect() -> None:
    assert outcome_of(is_correct=True) == "correct"
    assert outcome_of(is_correct=False) == "incorrect"


def test_no_end_without_a_verifier_is_correct() -> None:
    assert {REWARDS[end.outcome] for end in END_REASONS.values() if end.outcome} == {0.0, None}


@pytest.mark.django_db
def test_sql_gives_the_rewards_of_the_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT o, {reward_sql('o')} FROM unnest(%s::text[]) AS o", [list(REWARDS)])
        assert dict(cursor.fetchall()) == REWARDS


@pytest.mark.django_db
@pytest.mark.parametrize("outcome", REWARDS)
def test_an_episode_ends_with_the_reward_of_its_outcome(outcome: str) -> None:
    episode = factories.episode()
    hot_sql.finish_many(
        run_id=episode.run_id, endings=[hot_sql.Ending(episode=episode.pk, outcome=outcome, reason="answer")]
    )
    assert Verdict.objects.get(episode=episode).reward == REWARDS[outcome]


def verdict_store(outcome: str, reward: float | None, **others: Any) -> Verdict:
    episode = factories.episode()
    fields: dict[str, Any] = {"terminated": outcome != VOID, "truncated": False, "reason": "answer", **others}
    return Verdict.objects.create(
        episode=episode, run_id=episode.run_id, outcome=outcome, reward=reward, **fields
    )


@pytest.mark.django_db
@pytest.mark.parametrize("outcome", [*REWARDS, "unknown"])
def test_the_database_takes_no_other_reward(outcome: str) -> None:
    own = [REWARDS[outcome]] if outcome in REWARDS else []
    for reward in own:
        verdict_store(outcome, reward)
    for reward in {None, 0.0, 0.5, 1.0, math.nan, math.inf}.difference(own):
        with pytest.raises(IntegrityError, match="verdict_reward_null_iff_void"), transaction.atomic():
            verdict_store(outcome, reward)


@pytest.mark.django_db
def test_no_check_of_a_verdict_is_null_for_a_row_that_the_table_can_hold() -> None:
    """A check that is null lets its row pass. Columns that may be null are null in turn."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname, pg_get_expr(conbin, conrelid) FROM pg_constraint"
            " WHERE contype = 'c' AND conrelid = 'trajectories_verdict'::regclass"
        )
        checks = dict(cursor.fetchall())
        own = {one.name for one in Verdict._meta.constraints} & checks.keys()
        assert own == {"verdict_reward_null_iff_void", "verdict_one_ending"}
        # The others are of one column each, where null means none.
        for name, check in ((name, checks[name]) for name in own):
            cursor.execute(
                f"SELECT count(*), count({check}) FROM unnest(%s::text[]) AS outcome,"
                " unnest(ARRAY[NULL, 0, 1]::float8[]) AS reward,"
                " unnest(ARRAY[true, false]) AS terminated, unnest(ARRAY[true, false]) AS truncated",
                [[*REWARDS, "unknown"]],
            )
            rows, known = cursor.fetchone()
            assert rows == known, name


@pytest.mark.django_db(transaction=True)
def test_the_migration_gives_judged_verdicts_the_reward_of_their_outcome_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    migration = import_module("trajectories.migrations.0029_verdict_reward_null_only_if_void")
    name = "verdict_reward_null_iff_void"
    constraint = next(one for one in Verdict._meta.constraints if one.name == name)
    sound = {outcome: verdict_store(outcome, reward) for outcome, reward in REWARDS.items()}
    with connection.schema_editor() as editor:
        migration.rewards_restore(None, editor)
        editor.execute(f"ALTER TABLE trajectories_verdict DROP CONSTRAINT {name}")
    assert capsys.readouterr().out == ""
    broken = {outcome: verdict_store(outcome, None) for outcome in JUDGED}
    with connection.schema_editor() as editor:  # one transaction, as that of the migration
        migration.rewards_restore(None, editor)
        editor.add_constraint(Verdict, constraint)
    ids = ", ".join(str(verdict.pk) for verdict in broken.values())
    report = f"2 judged verdicts had no reward, and got that of their outcome: {ids}.\n"
    assert capsys.readouterr().out == f"\n{report}"
    for verdicts in (sound, broken):
        for outcome, verdict in verdicts.items():
            verdict.refresh_from_db()
            assert verdict.reward == REWARDS[outcome]


def test_nothing_counts_outcomes_by_their_rewards() -> None:
    rooms = ("core", "gymsite", "tasks_app", "trajectories", "client/src/palaestra")
    paths = [path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in {".py", ".sql"}]
    counting = {
        str(path.relative_to(ROOT))
        for path in paths
        if "migrations" not in path.parts and COUNTS_REWARDS.search(path.read_text("utf-8"))
    }
    assert counting == set()
