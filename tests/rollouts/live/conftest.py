from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from django.db import connection

from tests import factories
from tests.servers import servers
from trajectories.models import Episode, Group
from trajectories.record.api import auth
from trajectories.rollouts.live import events

T = TypeVar("T")

START_S = 30.0


@dataclass(frozen=True)
class Live:
    """The real server on a real port, as started by ``up``, with the lab's database role."""

    url: str
    port: int
    pid: int

    def client(self, key: str | None = None, **options: Any) -> httpx.AsyncClient:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=90.0, trust_env=False, **options)

    def worker(self) -> int:
        """The id of the process that serves, a child of the server's own process."""
        children = Path(f"/proc/{self.pid}/task").glob("*/children")
        (pid,) = {word for file in children for word in file.read_text().split()}
        return int(pid)


@pytest.fixture(scope="session")
def live(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    log = tmp_path_factory.mktemp("live") / "live.log"
    port = _free_port()
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "gymsite.services.server", "live"],
            cwd=Path(__file__).resolve().parents[3],
            env=_environment(port),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_answering(f"http://127.0.0.1:{port}/wait/health", server, log)
        yield Live(url=f"http://127.0.0.1:{port}", port=port, pid=server.pid)
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture
def key(transactional_db: None) -> str:
    return auth.key_create(name="harness", scopes=["read"])


@pytest.fixture
def episode(transactional_db: None) -> Episode:
    return factories.episode()


def judge(episode: Episode, **fields: object) -> None:
    """Write and announce a verdict in the same way as judging."""
    factories.verdict(episode, **fields)
    events.episodes_ended(run_id=episode.run_id, ids=[episode.pk])


def episodes_make(number: int) -> list[Episode]:
    """Create open episodes in one group, and return them in the order of their ids."""
    first = factories.episode()
    fields = [
        field.attname
        for field in Episode._meta.concrete_fields
        if field.attname not in ("id", "sample_index")
    ]
    common = {name: getattr(first, name) for name in fields}
    Group.objects.filter(pk=first.group_id).update(size=number)
    return [first, *Episode.objects.bulk_create(Episode(**common, sample_index=i) for i in range(1, number))]


async def until_waiting(live: Live, number: int) -> None:
    async with live.client() as client:
        while (await client.get("/wait/health")).json()["waiting"] != number:
            await asyncio.sleep(0.01)


async def in_thread(function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Run ORM code outside the event loop on a separate connection, which is closed afterwards."""

    def call() -> T:
        with contextlib.closing(connection):
            return function(*arguments, **named)

    return await asyncio.to_thread(call)


def _environment(port: int) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "GYM_PROCESS": "live",
        "DATABASE_URL": servers.role_url("lab", database=connection.settings_dict["NAME"]),
        "REDIS_URL": servers.redis_url,
        "VAR_DIR": str(servers.var_dir),
        "LIVE_PORT": str(port),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_answering(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(url, trust_env=False).json()["status"] == "ok":
                return
        time.sleep(0.05)
    pytest.fail(f"live did not start:\n{log.read_text()}")
