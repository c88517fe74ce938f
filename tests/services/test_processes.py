from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import GymError
from gymsite.services import processes, secrets
from gymsite.services.processes import BASE_DIR, PROCESSES, Installation, Process, pool_sizes

SETTING = re.compile(r"""env\.\w+\(\s*["']([A-Z][A-Z0-9_]+)["']""")


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    secrets.ensure_all(tmp_path)
    for name in (*secrets.PASSWORDS, *secrets.KEYS):
        secrets.write(tmp_path, name, f"value-of-{name}")
    return Installation(
        var_dir=tmp_path,
        host="127.0.0.1",
        ports={"ARENA_PORT": 1, "LAB_PORT": 2, "LIVE_PORT": 3, "METRICS_PORT": 4},
        addresses={},
        slow_statement_ms=1_000,
        settings={},
    )


def _environment(process: Process, installation: Installation, **caller: str) -> dict[str, str]:
    return processes.environment(process, replace(installation, settings=caller), pool_size=1)


def test_keys_of_buckets_reach_those_that_use_files_and_the_arena_has_its_own(
    installation: Installation,
) -> None:
    common = dict.fromkeys(processes.S3_KEYS, "of the lab")
    own = dict.fromkeys(processes.ARENA_S3_KEYS, "of the arena")
    given = {process.name: _environment(process, installation, **common, **own) for process in PROCESSES}
    held = {name: environment.get("S3_SECRET_KEY") for name, environment in given.items()}
    without = dict.fromkeys(
        ["live", "sweeper", "worker-verify", "worker-sandbox", "worker-judges", "metrics"]
    )
    media = dict.fromkeys(
        ["lab", "housekeeper", "worker-pictures", "worker-facts", "worker-replays"], "of the lab"
    )
    assert held == {"arena": "of the arena", **media, **without}
    (arena, *_) = PROCESSES
    assert _environment(arena, installation, **common)["S3_SECRET_KEY"] == "of the lab"


def test_the_judges_key_reaches_workers_that_run_no_programs(installation: Installation) -> None:
    given = {one.name: _environment(one, installation, **{processes.JUDGE_KEY: "key"}) for one in PROCESSES}
    held = {name for name, environment in given.items() if processes.JUDGE_KEY in environment}
    workers = {one.name for one in PROCESSES if one.kind == "worker"}
    assert held == workers - {"worker-sandbox"}


def test_keys_of_judges_that_pay_reach_the_worker_that_calls_them(installation: Installation) -> None:
    given = {one.name: _environment(one, installation, JUDGE_KEYS="strict=key") for one in PROCESSES}
    held = {name for name, environment in given.items() if "JUDGE_KEYS" in environment}
    assert held == {"worker-judges"}


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: process.name)
def test_nothing_secret_of_the_callers_environment_is_passed_on(process, installation: Installation) -> None:
    secret = {*processes.SECRET_NAMES} - {*processes.S3_KEYS, *processes.ARENA_S3_KEYS}
    secret -= {processes.JUDGE_KEY, processes.JUDGE_KEYS}
    caller = dict.fromkeys((*secret, "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"), "the operator's")
    environment = _environment(process, installation, **caller)
    assert "the operator's" not in environment.values()


def test_the_arena_is_given_no_redis_and_no_other_roles_password(installation: Installation) -> None:
    arena = next(process for process in PROCESSES if process.name == "arena")
    environment = _environment(arena, installation, REDIS_URL="redis://somewhere")
    assert "REDIS_URL" not in environment
    own = {"gym_arena", "secret_key_arena", "token_key", "world_salt"}
    assert set(re.findall(r"value-of-(\w+)", " ".join(environment.values()))) == own


def test_a_documented_setting_reaches_every_process(installation: Installation) -> None:
    for process in PROCESSES:
        environment = _environment(process, installation, LEASE_S="7", UNKNOWN="x")
        assert environment["LEASE_S"] == "7"
        assert "UNKNOWN" not in environment


def test_every_setting_that_is_read_is_documented() -> None:
    read = set(SETTING.findall((BASE_DIR / "gymsite" / "settings.py").read_text()))
    assert len(read) > 20
    assert read - set(processes.settings_documented()) == set()


@pytest.mark.parametrize("sandboxes", [1, 4])
@pytest.mark.parametrize("max_connections", [42, 50, 70, 100, 1000])
def test_pools_fit_the_server_together(max_connections: int, sandboxes: int, settings: Any) -> None:
    settings.SANDBOXES = sandboxes
    sizes = pool_sizes(max_connections)
    held = sum(process.pool_count() * (sizes[process.name] + process.fixed) for process in PROCESSES)
    assert held <= max_connections - processes.SPARE_CONNECTIONS
    assert all(1 <= sizes[process.name] <= process.pool_max for process in PROCESSES)


def test_a_server_with_many_connections_fills_every_pool() -> None:
    assert pool_sizes(1000) == {process.name: process.pool_max for process in PROCESSES}


def test_each_sandbox_has_a_connection_of_its_own(settings: Any) -> None:
    settings.SANDBOXES = 50
    with pytest.raises(GymError) as refused:
        pool_sizes(60)
    assert "SANDBOXES" in refused.value.message


def test_a_server_with_too_few_connections_is_refused() -> None:
    with pytest.raises(GymError) as refused:
        pool_sizes(20)
    assert refused.value.code == "too_few_connections"
    assert "max_connections" in refused.value.message


def test_hosts_share_the_connections_and_an_error_names_who_reserved_them() -> None:
    doors = processes.processes_chosen("arena,lab")
    assert pool_sizes(100, chosen=doors) == {"arena": 6, "lab": 13}
    assert pool_sizes(100, chosen=doors, elsewhere={"host-a": 70}) == {"arena": 3, "lab": 6}
    arena = processes.processes_chosen("arena")
    assert pool_sizes(100, chosen=arena, elsewhere={"host-a": 60}) == {"arena": 6}
    with pytest.raises(GymError, match="90 are reserved by host-a"):
        pool_sizes(100, elsewhere={"host-a": 90})
    with pytest.raises(GymError, match="Did you mean"):
        processes.processes_chosen("arenna")
