"""Two hosts over one Postgres, Redis and store of blobs: one dies, the other's line is cut and mended."""

from __future__ import annotations

import hashlib
import logging
import random
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from gymsite.services import endpoints, parent_death, postgres, redis, secrets
from tests.buckets import Buckets, buckets_served
from tests.embedded_services import TestServers, embedded_services
from tests.services import chaos
from tests.services.audit import complaints
from tests.services.flow import JUDGED_S, fail_early, flow_wait, golds_of, judged_wait
from tests.services.hosts import Host, hosts_made
from tests.services.installations import START_S, Started, Up, free_port
from tests.services.traffic import STEPS, Caller, Ledger, Traffic

pytestmark = [pytest.mark.services, pytest.mark.slow]

THREADS = 2
CUT_S = 30.0  # longer than either side takes to notice: 25 s
SMALL = {"VERIFY_CHILDREN": "1", "SANDBOXES": "1", "MEDIA_PROCESSES": "1"}
SETTINGS = {**SMALL, **chaos.SETTINGS}
# All that the traffic needs, programs included, once the first host is gone.
ONLY = "arena,lab,live,sweeper,worker-verify,worker-sandbox"


@dataclass(eq=False)
class HostUp(Up):
    """An installation on a host of its own."""

    host: Host | None = None
    only: str = ""
    base: dict[str, str] = field(default_factory=dict)

    def command(self) -> list[str]:
        assert self.host
        chosen = ["--only", self.only] if self.only else []
        return self.host.command("manage.py", "up", *chosen)

    @property
    def address(self) -> str:
        assert self.host
        return self.host.address


@pytest.fixture(scope="module")
def hosts() -> Iterator[list[Host]]:
    with hosts_made(2) as made:
        print("hosts are", "network namespaces" if made[0].has_line else "folders on loopback")
        yield made


@pytest.fixture(scope="module")
def servers(hosts: list[Host], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServers]:
    """Postgres and Redis that listen to the hosts."""
    listening = "*" if hosts[0].has_line else "127.0.0.1"
    with pytest.MonkeyPatch.context() as patch:
        ports = {"postgres": free_port(), "redis": free_port()}
        patch.setitem(postgres.SETTINGS, "listen_addresses", listening)
        patch.setitem(postgres.SETTINGS, "port", str(ports["postgres"]))
        patch.setitem(postgres.SETTINGS, "max_connections", "200")
        network = f"port {ports['redis']}\nbind {'0.0.0.0' if listening == '*' else listening}\n"
        patch.setattr(redis, "CONFIGURATION", redis.CONFIGURATION.replace("port 0\n", network))
        patch.setattr(endpoints, "database_url", _with_port(endpoints.database_url, ports["postgres"]))
        with embedded_services(tmp_path_factory.mktemp("servers")) as started:
            rules = postgres.data_folder(started.var_dir) / "pg_hba.conf"
            with rules.open("a") as file:
                file.write("host all all 10.213.0.0/16 scram-sha-256\n")
            with psycopg.connect(started.database_url) as owner:
                owner.execute("SELECT pg_reload_conf()")
            yield started


def _with_port(address: Any, port: int) -> Any:
    return lambda *args, **options: f"{address(*args, **options)}&port={port}"


@pytest.fixture(scope="module")
def buckets(hosts: list[Host]) -> Iterator[Buckets]:
    with buckets_served("0.0.0.0" if hosts[0].has_line else "127.0.0.1") as served:
        yield served


def host_up(host: Host, var_dir: Path, servers: TestServers, buckets: Buckets, *, only: str = "") -> HostUp:
    pg_port = psycopg.conninfo.conninfo_to_dict(servers.database_url)["port"]
    login = f"gym_owner:{servers.password('owner')}@"
    redis_port = int(redis.CONFIGURATION.split("port ")[1].split()[0])
    extra = {
        **SETTINGS,
        **buckets.settings,
        "S3_ENDPOINT_URL": f"http://{host.servers}:{buckets.url.rpartition(':')[2]}",
        "GYM_HOST": "0.0.0.0" if host.has_line else "127.0.0.1",
        "DATABASE_URL": f"postgresql://{'' if only else login}{host.servers}:{pg_port}/{endpoints.DATABASE}",
        "REDIS_URL": f"redis://:{secrets.read(servers.var_dir, 'redis')}@{host.servers}:{redis_port}/0",
    }
    up = HostUp(var_dir, extra=extra, host=host, only=only)
    up.extra["ARENA_URL"] = f"http://{host.address}:{up.ports['ARENA_PORT']}"
    return up


def test_one_host_dies_and_the_line_of_another_is_cut_and_nothing_is_lost(
    hosts: list[Host], servers: TestServers, buckets: Buckets, tmp_path: Path
) -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    first = host_up(hosts[0], tmp_path / "a", servers, buckets)
    second = host_up(hosts[1], tmp_path / "b", servers, buckets, only=ONLY)
    running: list[Started] = []
    try:
        _start(first, running)
        shutil.copytree(first.var_dir / "secrets", second.var_dir / "secrets")
        (second.var_dir / "secrets" / "gym_owner").unlink()
        _start(second, running)
        assert "other hosts have reserved some" in running[1].output
        _work(first, second, running, servers.database_url)
    finally:
        for started in running:
            started.process.kill()
            started.process.communicate()
        for up in (first, second):
            parent_death.end(up.descendants())


def _start(up: HostUp, running: list[Started]) -> None:
    running.append(Started(up, up.spawn()))
    running[-1].read_until("Ready in", seconds=START_S)


def _work(first: HostUp, second: HostUp, running: list[Started], owner_url: str) -> None:
    ledger = Ledger()
    key = running[0].output.split("key ")[1].split()[0]
    caller = Caller(second, key, ledger, chance=random.Random(1))
    made = caller.json("POST", f"{caller.lab}/api/v1/runs", json={"name": "hosts", "kind": "eval"})
    caller.close()
    golds = golds_of(owner_url)
    on = [Traffic(up=up, key=key, run=made["id"], golds=golds, ledger=ledger) for up in (first, second)]
    with ThreadPoolExecutor(2 * THREADS + 1) as threads:
        leaving, staying = ([threads.submit(traffic.rollouts, n) for n in range(THREADS)] for traffic in on)
        following = threads.submit(on[1].stream)
        try:
            flow_wait(ledger, leaving + staying, after="both hosts have started")
            _blob_crosses(first, second, key)
            on[0].stop.set()  # its clients leave before their host is killed: nobody could answer them
            for thread in leaving:
                thread.result(timeout=JUDGED_S)
            running[0].process.send_signal(signal.SIGKILL)
            began = time.monotonic()
            flow_wait(ledger, staying, after="a host was killed")
            print(f"a host killed: work flows {time.monotonic() - began:.1f} s after")
            if second.host and second.host.has_line:
                _cut(second.host, ledger, staying)
            on[1].stop.set()
            for thread in staying:
                thread.result(timeout=JUDGED_S)
            judged_wait(owner_url, ledger)
        finally:
            for traffic in on:
                traffic.stop.set()
                traffic.is_over.set()
        following.result()
    assert complaints(owner_url, ledger) == []
    assert all(index <= STEPS for _, index in ledger.steps)
    print(f"{len(ledger.opened)} episodes, {len(ledger.steps)} steps, {ledger.retries} retries")


def _blob_crosses(first: HostUp, second: HostUp, key: str) -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(1000)
    path = f"/api/v1/blobs/{hashlib.sha256(data).hexdigest()}"
    labs = [f"http://{up.address}:{up.ports['LAB_PORT']}" for up in (first, second)]
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, trust_env=False) as client:
        assert client.put(labs[0] + path, content=data).status_code == 201
        assert client.get(labs[1] + path).content == data


def _cut(host: Host, ledger: Ledger, working: list[Any]) -> None:
    """The line to the servers and to the clients is the same: they wait, and try again when it is mended."""
    host.line_cut()
    time.sleep(CUT_S)
    fail_early(working)
    host.line_mend()
    began = time.monotonic()
    flow_wait(ledger, working, after="the line was mended")
    print(f"line mended after {CUT_S:g} s: work flows {time.monotonic() - began:.1f} s later")
