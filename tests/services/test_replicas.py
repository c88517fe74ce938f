"""What hosts over one Postgres know of each other."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from core.database.sessions import direct_connect
from core.errors import GymError
from gymsite.services import builds, preparation, replicas, secrets, startup
from gymsite.services.processes import PROCESSES, Installation, processes_chosen
from tests.servers import servers

NAME = "palaestra-lab other-host-1/28"


def _url(role: str) -> str:
    return servers.role_url(role, database=str(connection.settings_dict["NAME"]))


@pytest.mark.parametrize("role", ["arena", "lab", "worker", "sandbox"])
def test_every_role_sees_that_the_database_is_prepared(db: None, role: str) -> None:
    waits: list[str] = []
    replicas.prepared_wait(_url(role), say=waits.append)
    assert waits == []


def test_a_replica_waits_for_migrations_and_says_which(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "migrations_named", lambda: {"trajectories.0099_later": "0"})
    assert replicas._unprepared(_url("lab")) == "trajectories.0099_later is not applied"
    assert "password" in replicas._unprepared(_url("lab").replace("gym_lab:", "gym_lab:wrong"))


def test_chosen_processes_are_refused_with_all_that_they_lack(tmp_path: Path) -> None:
    chosen = processes_chosen("arena,sweeper")
    installation = Installation(
        var_dir=tmp_path, host="", ports={}, addresses={}, slow_statement_ms=0, settings={}, processes=chosen
    )
    with pytest.raises(GymError, match="DATABASE_URL and REDIS_URL is not set"):
        startup._replica_check(installation)
    with_database = replace(installation, database_url="postgresql://db/gym")
    with pytest.raises(GymError, match="; REDIS_URL is not set"):
        startup._replica_check(with_database)
    whole = replace(with_database, redis_url="redis://queue")
    names = "gym_arena, gym_worker, secret_key_arena, secret_key_worker, token_key, world_salt"
    with pytest.raises(GymError, match=f"into {tmp_path}/secrets: {names}"):
        startup._replica_check(whole)
    secrets.ensure_all(tmp_path)
    startup._replica_check(whole)


def test_connections_reserved_by_other_hosts_are_counted_once_a_process(db: None) -> None:
    with (
        psycopg.connect(_url("lab"), application_name=NAME),
        psycopg.connect(_url("lab"), application_name=f"{NAME} hub"),
        psycopg.connect(_url("worker"), application_name="palaestra-sweeper other-host-1/2"),
    ):
        _, reserved = replicas.read_connections(_url("arena"), host="own-2")
        assert reserved == {"other-host-1": 30}
        assert replicas.read_connections(_url("arena"), host="other-host-1")[1] == {}


def test_the_name_of_a_session_fits_and_is_read_back(tmp_path: Path) -> None:
    for process in PROCESSES:
        host = replicas.host_name(tmp_path)
        name = f"palaestra-{replicas.session_name(process, pool_size=process.pool_max, host=host)}"
        assert len(name) < 64  # what Postgres keeps of it
        assert replicas._NAME.fullmatch(name)


@pytest.mark.django_db(transaction=True)
def test_two_that_prepare_take_turns_and_the_second_says_so() -> None:
    waits: list[str] = []
    is_done = threading.Event()

    def second() -> None:
        with preparation.prepare_alone(waits.append):
            is_done.set()

    with preparation.prepare_alone(waits.append):
        other = threading.Thread(target=second)
        other.start()
        assert not is_done.wait(0.5)
    other.join(10)
    assert is_done.is_set()
    assert waits == ["Another host is preparing the database; waiting for it."]


def test_locks_go_past_a_pooler(db: None, settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATABASE_DIRECT_URL = _url("worker")
    with direct_connect() as direct:
        row = direct.execute("SELECT current_user, current_setting('tcp_user_timeout')").fetchone()
    assert row is not None
    assert row[0] == "gym_worker"
