"""Each process works with its own role's rights, and with no more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import psycopg
import pytest
from django.db import ProgrammingError, connection, transaction

from tests import factories
from tests.servers import servers
from trajectories.models import Verdict
from trajectories.record import hot_sql
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes import creation, step_records
from trajectories.rollouts.episodes import services as episode_services
from trajectories.rollouts.judging import queue_sql, services

AsRole = Callable[[str], AbstractContextManager[None]]
TRAINER = Principal(key_id=1, name="trainer", scopes=frozenset({"trainer"}), splits=frozenset())
CLOSED_TO_THE_ARENA = [
    "tasks_app_gold",
    "tasks_app_benchmark",
    "trajectories_verdict",
    "trajectories_verdictevidence",
    "trajectories_step",
    "trajectories_run",
    "trajectories_apikey",
    "trajectories_idempotentcall",
    "trajectories_blob",
    "auth_user",
    "django_session",
]


def test_the_labs_role_opens_records_and_closes_episodes(as_role: AsRole) -> None:
    task, run = factories.task(), factories.run()
    with as_role("gym_lab"):
        opening = creation.Opening(run=run.pk, tasks=[task.pk], samples_per_task=2)
        opened = creation.episodes_open(opening=opening, principal=TRAINER)["episodes"]
        first = opened[0]["id"]
        steps = step_records.steps_read(b'{"steps": [{"index": 1, "thought": "t"}]}')
        answer = episode_services.steps_record(episode_id=first, steps=steps, principal=TRAINER)
        record = episode_services.episode_close(
            episode_id=first, reason="agent_stopped", detail="", principal=TRAINER
        )
    assert answer.accepted == 1
    assert record["verdict"]["reason"] == "no_submission"


def test_the_workers_role_judges(as_role: AsRole) -> None:
    episode = factories.episode()
    factories.submission(episode)
    with as_role("gym_worker"):
        assert services.submission_judge(episode_id=episode.pk)
        due = queue_sql.submissions_due(claims_max=3, lost_s=45.0, after_s=[5.0])
        queue_sql.submissions_mark_sent(due)
        queue_sql.episodes_open()
    assert Verdict.objects.get(episode=episode).outcome == "correct"


def test_the_arenas_role_submits(as_role: AsRole) -> None:
    episode = factories.episode()
    with as_role("gym_arena"):
        assert hot_sql.submission_write(episode_id=episode.pk, answer="42", channel="page")


@pytest.mark.parametrize("table", CLOSED_TO_THE_ARENA)
def test_the_arenas_role_is_denied_the_rest(as_role: AsRole, table: str) -> None:
    with (
        as_role("gym_arena"),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"SELECT 1 FROM {table}")


def test_the_arenas_own_login_is_denied_golds_and_evidence(django_db_setup: None) -> None:
    url = servers.role_url("arena", database=connection.settings_dict["NAME"])
    with psycopg.connect(url, autocommit=True) as arena:
        for table in ("tasks_app_gold", "trajectories_verdictevidence"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                arena.execute(f"SELECT 1 FROM {table}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            arena.execute("SET ROLE gym_lab")
