"""docker-compose.yml runs what `manage.py up` runs. Docker itself is not needed here."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from core.storage import blobs
from gymsite.arena import forms
from gymsite.services import endpoints, redis, secrets
from gymsite.services.binaries import POSTGRES_MAJOR
from gymsite.services.launch import SETUP, launch_environment
from gymsite.services.processes import BASE_DIR, PROCESSES
from verifiers.sandbox.limits import GROUP_MEMORY_BYTES, GROUP_PROCESSES

SECRETS_DIR = "/srv/palaestra/var/secrets"
WORKER_BYTES = 500 * 2**20
OTHERS = {"postgres", "redis", "proxy", "setup"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())


def _own_secrets(process: Any) -> set[str]:
    own = {*process.secret_names()}
    return own | ({endpoints.redis_secret(process.redis_user)} if process.has_redis else set())


def test_the_services_are_the_processes_of_the_table(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) - OTHERS == {process.name for process in PROCESSES}
    for process in (*PROCESSES, SETUP):
        service = compose["services"][process.name]
        assert service["command"] == [process.name]
        assert service.get("deploy", {}).get("replicas", 1) == process.copies


@pytest.mark.parametrize("process", PROCESSES, ids=lambda process: process.name)
def test_a_service_is_given_its_own_secrets_alone(compose: dict[str, Any], process) -> None:
    service = compose["services"][process.name]
    given = {entry["source"]: entry["target"] for entry in service["secrets"]}
    assert given == {name: f"{SECRETS_DIR}/{name}" for name in _own_secrets(process)}
    assert ("REDIS_URL" in service["environment"]) == process.has_redis
    assert ("queue" in service["networks"]) == process.has_redis


def test_only_setup_and_postgres_know_the_owner(compose: dict[str, Any]) -> None:
    knowing = {
        name
        for name, service in compose["services"].items()
        if "gym_owner" in json.dumps(service.get("secrets", []))
    }
    assert knowing == {"postgres", "setup"}


def test_every_secret_is_made_by_the_script(compose: dict[str, Any]) -> None:
    script = (BASE_DIR / "deploy" / "make-secrets").read_text()
    made = set(re.search(r"for name in ([^;]+);", script).group(1).split())
    assert made == set(compose["secrets"]) == set(secrets.PASSWORDS + secrets.KEYS)
    for name, secret in compose["secrets"].items():
        assert secret["file"] == f"deploy/secrets/{name}"


def test_postgres_has_the_version_of_the_embedded_one(compose: dict[str, Any]) -> None:
    assert compose["services"]["postgres"]["image"].startswith(f"postgres:{POSTGRES_MAJOR}")


def test_only_the_proxy_has_ports_and_the_files_that_it_mounts_exist(compose: dict[str, Any]) -> None:
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    assert (BASE_DIR / "deploy" / "Caddyfile").exists()
    named = set(re.findall(r"deploy/[\w.-]+", (BASE_DIR / "docker-compose.yml").read_text())) - {
        "deploy/secrets"
    }
    assert [name for name in named if not (BASE_DIR / name).exists()] == []
    assert set(compose["volumes"]) >= {"postgres", "redis", *blobs.STORAGES}


def _having(compose: dict[str, Any], volume: str, *, is_written: bool) -> set[str]:
    """The services that mount a volume, only to read it or to write too."""
    return {
        name
        for name, service in compose["services"].items()
        for mount in service.get("volumes", [])
        if mount.startswith(f"{volume}:") and mount.endswith(":ro") != is_written
    }


def test_the_arena_can_write_recordings_and_no_blob(compose: dict[str, Any]) -> None:
    assert "arena" in _having(compose, "blobs", is_written=False)
    # The housekeeper deletes the parts of killed uploads; management commands prune and restore.
    assert _having(compose, "recordings", is_written=True) == {"arena", "housekeeper", "setup"}


def test_private_files_are_written_where_exports_are_and_seen_by_no_agents_server(
    compose: dict[str, Any],
) -> None:
    assert _having(compose, "private", is_written=True) == {"lab", "worker-facts", "housekeeper", "setup"}
    assert _having(compose, "private", is_written=False) == {"metrics"}


def test_the_sandbox_profile_leaves_what_bubblewrap_needs(compose: dict[str, Any]) -> None:
    profile = json.loads((BASE_DIR / "deploy" / "seccomp-sandbox.json").read_text())
    denied = {
        name for rule in profile["syscalls"] for name in rule["names"] if rule["action"] == "SCMP_ACT_ERRNO"
    }
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert not denied & {
        "clone",
        "clone3",
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "prctl",
        "seccomp",
    }
    assert {"bpf", "ptrace", "kexec_load", "init_module", "userfaultfd", "keyctl"} <= denied
    options = compose["services"]["worker-sandbox"]["security_opt"]
    assert compose["services"]["worker-replays"]["security_opt"] == options
    assert "seccomp:deploy/seccomp-sandbox.json" in options


@pytest.mark.parametrize("process", [*PROCESSES, SETUP], ids=lambda process: process.name)
def test_a_container_needs_no_secret_that_it_is_not_given(compose: dict[str, Any], process, tmp_path) -> None:
    service = compose["services"][process.name]
    (tmp_path / "secrets").mkdir()
    for entry in service["secrets"]:
        (tmp_path / "secrets" / entry["source"]).write_text(f"value-of-{entry['source']}\n")
    caller = {"VAR_DIR": str(tmp_path), **service["environment"]}
    environment = launch_environment(process, caller)
    assert environment["GYM_PROCESS"] == process.kind
    assert environment["DATABASE_URL"] == endpoints.with_login(
        "postgresql://postgres:5432/gym", user=process.role, password=f"value-of-{process.role}"
    )
    if process.has_redis:
        password = f"value-of-{endpoints.redis_secret(process.redis_user)}"
        assert environment["REDIS_URL"] == f"redis://{process.redis_user}:{password}@redis:6379/0"


def test_redis_gives_the_worker_with_the_sandbox_the_rights_of_the_embedded_one(
    compose: dict[str, Any],
) -> None:
    service = compose["services"]["redis"]
    (mount,) = (volume for volume in service["volumes"] if volume.startswith("./"))
    source, target, _ = mount.split(":")
    assert (BASE_DIR / source).samefile(redis.SANDBOX_RIGHTS)
    assert f"$(cat {target})" in service["command"][-1]
    assert {"redis", "redis_sandbox"} == set(service["secrets"])


def test_the_lab_trusts_the_network_of_its_proxy(compose: dict[str, Any]) -> None:
    (network,) = compose["networks"]["lab-door"]["ipam"]["config"]
    assert compose["services"]["lab"]["environment"]["TRUSTED_PROXIES"] == network["subnet"]
    sharing = {name for name, service in compose["services"].items() if "lab-door" in service["networks"]}
    assert sharing == {"lab", "live", "proxy"}


def test_the_proxy_buffers_every_form_of_the_arena() -> None:
    sizes = re.findall(r"request_buffers (\d+)MiB", (BASE_DIR / "deploy" / "Caddyfile").read_text())
    assert len(sizes) == 2
    assert all(int(size) * 1024 * 1024 >= forms.form_bytes_max() for size in sizes)


def test_every_service_has_limits_and_the_sandboxes_fit_theirs(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert {"mem_limit", "pids_limit"} <= set(service), name
    worker = compose["services"]["worker-sandbox"]
    at_once = int(re.search(r":-(\d+)}", worker["environment"]["SANDBOXES"]).group(1))
    megabytes = int(re.search(r":-(\d+)m}", worker["mem_limit"]).group(1))
    assert megabytes * 2**20 > at_once * 2 * GROUP_MEMORY_BYTES + WORKER_BYTES
    assert worker["pids_limit"] > at_once * 2 * GROUP_PROCESSES
