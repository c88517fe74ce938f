"""Rewards: every place that pairs outcomes with rewards follows one table."""

from __future__ import annotations

import re

import pytest
from django.db import IntegrityError, connection, transaction

from core.outcomes import JUDGED, REWARDS, VOID, outcome_of, reward_sql
from core.reasons import END_REASONS
from tests import factories
from tests.test_house_rules import ROOT
from trajectories import hot_sql
from trajectories.models import Verdict

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


@pytest.mark.django_db
@pytest.mark.parametrize("outcome", REWARDS)
def test_the_database_takes_no_other_number(outcome: str) -> None:
    episode = factories.episode()
    for reward in {0.0, 0.5, 1.0} - {REWARDS[outcome]}:
        with pytest.raises(IntegrityError, match="verdict_reward_null_iff_void"), transaction.atomic():
            Verdict.objects.create(
                episode=episode,
                run_id=episode.run_id,
                outcome=outcome,
                reward=reward,
                reason="answer",
                terminated=outcome != VOID,
                truncated=False,
            )


def test_nothing_counts_outcomes_by_their_rewards() -> None:
    rooms = ("core", "gymsite", "tasks_app", "trajectories", "client/src/palaestra")
    paths = [path for room in rooms for path in (ROOT / room).rglob("*") if path.suffix in {".py", ".sql"}]
    counting = {
        str(path.relative_to(ROOT))
        for path in paths
        if "migrations" not in path.parts and COUNTS_REWARDS.search(path.read_text("utf-8"))
    }
    assert counting == set()
