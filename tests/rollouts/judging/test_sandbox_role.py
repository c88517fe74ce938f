"""The worker with the sandbox: its login reads no table, and judges programs all the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import psycopg
import pytest
from django.apps import apps
from django.db import ProgrammingError, connection, transaction

from tasks_app.models import Gold
from tests import factories
from tests.servers import servers
from trajectories.models import Episode, Submission, Verdict
from trajectories.record import hot_sql
from trajectories.rollouts.judging import sandbox_sql, services

AsRole = Callable[[str], AbstractContextManager[None]]

PROGRAM = "def add(a, b): return a + b"
TABLES = sorted(model._meta.db_table for model in apps.get_models(include_auto_created=True))
LIMITS = {"claims_max": 3, "lost_s": 45.0}


@pytest.fixture
def login(django_db_setup: None) -> Iterator[psycopg.Connection]:
    url = servers.role_url("sandbox", database=connection.settings_dict["NAME"])
    with psycopg.connect(url, autocommit=True) as own:
        yield own


@pytest.fixture
def program(db: None) -> Episode:
    return _submitted("code-v1")


def _submitted(verifier: str, *, dataset: str | None = None) -> Episode:
    benchmark = factories.benchmark(id=verifier, verifier_official=verifier, verifier_training=verifier)
    task = factories.task(benchmark=benchmark, answer=PROGRAM)
    extra = {"tests": ["assert add(1, 2) == 3"], **({"dataset": dataset} if dataset else {})}
    Gold.objects.filter(task=task).update(extra=extra)
    episode = factories.episode(task=task)
    factories.submission(episode, answer=PROGRAM)
    return episode


@pytest.mark.parametrize("table", TABLES)
def test_its_login_reads_and_writes_no_table(login: psycopg.Connection, table: str) -> None:
    for statement in ("SELECT 1 FROM", "DELETE FROM", "INSERT INTO"):
        ending = " DEFAULT VALUES" if statement == "INSERT INTO" else ""
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
            login.execute(f"{statement} public.{table}{ending}")


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE gym_worker",
        "SET ROLE gym_owner",
        "CREATE TABLE public.mine (x int)",
        "CREATE TEMPORARY TABLE mine (x int)",
        "CREATE FUNCTION sandbox.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('PG_VERSION')",
    ],
)
def test_its_login_gets_no_other_rights(login: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        login.execute(statement)


@pytest.mark.parametrize("role", ["gym_arena", "gym_lab", "gym_worker"])
def test_nobody_else_may_use_its_functions(as_role: AsRole, role: str, program: Episode) -> None:
    with as_role(role), pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        sandbox_sql.submission_claim(episode_id=program.pk, **LIMITS)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_its_role_judges_a_program(as_role: AsRole, program: Episode) -> None:
    with as_role("gym_sandbox"):
        assert services.program_judge(episode_id=program.pk)
        assert not services.program_judge(episode_id=program.pk)
    verdict = Verdict.objects.get(episode=program)
    assert (verdict.outcome, verdict.verifier, verdict.run_seq) == ("correct", "code-v1", 1)
    program.refresh_from_db()
    assert (program.status, program.verdict_id) == ("finished", verdict.pk)


def test_a_claim_is_the_same_by_either_way(as_role: AsRole, program: Episode) -> None:
    with as_role("gym_sandbox"):
        claim = sandbox_sql.submission_claim(episode_id=program.pk, **LIMITS)
    Submission.objects.update(claimed_at=None)
    assert claim == hot_sql.submission_claim(episode_id=program.pk, **LIMITS)
    assert claim is not None
    assert (claim.gold_answer, claim.answer) == (PROGRAM, PROGRAM)


def test_a_gold_comes_only_with_a_claim_that_counts(as_role: AsRole, program: Episode) -> None:
    with as_role("gym_sandbox"):
        claims = [
            sandbox_sql.submission_claim(episode_id=program.pk, claims_max=3, lost_s=0.0) for _ in range(5)
        ]
        assert [claim is not None for claim in claims] == [True, True, True, False, False]
    assert Submission.objects.get(episode=program).claims == 3


@pytest.mark.parametrize(
    ("verifier", "dataset"), [("numeric-v1", None), ("math-v1", None), ("reasoning_gym-v1", "chain_sum")]
)
def test_other_submissions_can_neither_be_claimed_nor_ended(
    as_role: AsRole, db: None, verifier: str, dataset: str | None
) -> None:
    other = _submitted(verifier, dataset=dataset)
    with as_role("gym_sandbox"):
        assert sandbox_sql.submission_claim(episode_id=other.pk, **LIMITS) is None
    assert hot_sql.submission_claim(episode_id=other.pk, **LIMITS)
    with as_role("gym_sandbox"):
        assert _forged(other) == []
    assert not Verdict.objects.exists()


def test_a_puzzle_that_is_run_can_be_claimed(as_role: AsRole, db: None) -> None:
    puzzle = _submitted("reasoning_gym-v1", dataset="jugs")
    with as_role("gym_sandbox"):
        assert sandbox_sql.submission_claim(episode_id=puzzle.pk, **LIMITS)


def test_a_submission_that_nobody_claimed_cannot_be_ended(as_role: AsRole, program: Episode) -> None:
    with as_role("gym_sandbox"):
        assert _forged(program) == []
    assert not Verdict.objects.exists()


def _forged(episode: Episode) -> list[int]:
    ending = hot_sql.Ending(episode=episode.pk, outcome="correct", reason="answer", verifier="code-v1")
    return sandbox_sql.submission_finish(run_id=episode.run_id, ending=ending)
