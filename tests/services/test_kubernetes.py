"""The manifests of deploy/kubernetes, held against Kubernetes' schemas, docker compose and the settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gymsite.services import processes
from gymsite.services.launch import SETUP, launch_environment
from gymsite.services.processes import BASE_DIR, PROCESSES
from gymsite.services.secrets import KEYS, PASSWORDS

FOLDER = BASE_DIR / "deploy" / "kubernetes"
VERSION = "1.34"
DOCUMENTS = [
    document for path in sorted(FOLDER.glob("*.yaml")) for document in yaml.safe_load_all(path.read_text())
]
WORKLOADS = {
    document["metadata"]["name"]: document
    for document in DOCUMENTS
    if document["kind"] in ("Deployment", "Job")
}
SETTINGS = next(document["data"] for document in DOCUMENTS if document["kind"] == "ConfigMap")
COMPOSE = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())["services"]


def _named(document: dict[str, Any]) -> str:
    return f"{document['kind']} {document['metadata']['name']}"


def container(name: str) -> dict[str, Any]:
    (only,) = WORKLOADS[name]["spec"]["template"]["spec"]["containers"]
    return only


def secret_names(name: str) -> set[str]:
    (volume,) = WORKLOADS[name]["spec"]["template"]["spec"]["volumes"]
    return {item["key"] for item in volume["secret"]["items"]}


@pytest.mark.parametrize("document", DOCUMENTS, ids=_named)
def test_every_manifest_fits_the_schema_and_has_no_unknown_field(document: dict[str, Any]) -> None:
    from kubernetes_validate import validate

    validate(document, VERSION, strict=True)


def test_there_is_one_workload_for_each_process() -> None:
    names = {process.name for process in (*PROCESSES, SETUP)}
    assert set(WORKLOADS) == names | {"manage"}
    for name in names:
        assert container(name)["args"] == COMPOSE[name]["command"] == [name]
        assert container(name)["image"] == COMPOSE[name].get("image", "palaestra")


@pytest.mark.parametrize("process", [*PROCESSES, SETUP], ids=lambda process: process.name)
def test_a_pod_holds_the_secrets_that_its_process_reads_and_no_others(
    process: processes.Process, tmp_path: Path
) -> None:
    (tmp_path / "secrets").mkdir()
    for name in secret_names(process.name):
        (tmp_path / "secrets" / name).write_text(f"value-of-{name}")
    environment = launch_environment(process, {"VAR_DIR": str(tmp_path), **SETTINGS})
    own = {name for name in secret_names(process.name) if "s3" not in name}
    assert own == {entry["source"] for entry in COMPOSE[process.name]["secrets"]}
    own_key = "arena_s3_secret_key" if process.name == "arena" else "s3_secret_key"
    assert environment.get("S3_SECRET_KEY") == (f"value-of-{own_key}" if process.has_files else None)


def test_the_pod_for_management_commands_has_the_secrets_of_the_setup_and_waits() -> None:
    assert secret_names("manage") == secret_names("setup")
    assert "args" not in container("manage")
    assert WORKLOADS["manage"]["spec"]["replicas"] == 0


def test_all_secrets_are_those_of_the_script_and_the_keys_of_the_buckets() -> None:
    keys = {name.lower() for name in (*processes.S3_KEYS, *processes.ARENA_S3_KEYS)}
    named = set().union(*map(secret_names, WORKLOADS))
    assert named == {*PASSWORDS, *KEYS} | keys


def test_settings_and_ports_are_those_that_exist() -> None:
    documented = {*processes.settings_documented(), *processes.SECRET_NAMES}
    assert set(SETTINGS) <= documented
    for name in ("arena", "lab", "live"):
        (port,) = container(name)["ports"]
        assert str(port["containerPort"]) == SETTINGS[f"{name.upper()}_PORT"]
    for name in filter(lambda name: name.startswith("worker-"), WORKLOADS):
        probe = container(name)["readinessProbe"]["exec"]["command"]
        assert probe == COMPOSE[name]["healthcheck"]["test"][1:]
