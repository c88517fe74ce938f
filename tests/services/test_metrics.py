"""Every process answers with its metrics; one that is killed comes back, counted, and leaves nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import urllib.request

import httpx
import pytest
import yaml
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from gymsite.services import endpoints
from gymsite.services.processes import BASE_DIR, PROCESSES
from tests.services.canaries import Scene
from tests.services.installations import Up, until
from tests.services.kills import RESTART_S, VICTIMS, Installation

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("installation")]

METRIC = re.compile(r"\b(?:palaestra|process)_[a-z0-9_]+")
FIRST_SCRAPE_S = 20.0
SUFFIX = re.compile(r"_(?:total|bucket|sum|count)$")
Processes = set[tuple[str, str]]


@pytest.fixture(autouse=True)
def _all_answer(installation: Installation) -> None:
    """Other tests may just have killed a process."""
    until(
        lambda: processes_up(installation.up) == expected(),
        seconds=FIRST_SCRAPE_S,
        what="every process answers",
    )


def scrape(up: Up) -> dict[str, Metric]:
    url = f"http://127.0.0.1:{up.ports['METRICS_PORT']}/metrics"
    with urllib.request.urlopen(url, timeout=10) as answer:
        text = answer.read().decode()
    return {family.name: family for family in text_string_to_metric_families(text)}


def processes_up(up: Up) -> Processes:
    try:
        family = scrape(up)["palaestra_process_up"]
    except OSError:
        return set()
    return {(s.labels["process"], s.labels["worker"]) for s in family.samples if s.value}


def value(up: Up, metric: str, **labels: str) -> float:
    """The sum of the samples with these labels; those of a histogram are its count."""
    family = scrape(up)[metric]
    name = (
        f"{metric}_count" if family.type == "histogram" else family.samples[0].name if family.samples else ""
    )
    samples = [s for s in family.samples if s.name == name and labels.items() <= s.labels.items()]
    return sum(sample.value for sample in samples)


def expected() -> Processes:
    """Doors' workers and the processes of Celery's workers are counted apart."""
    return {(process.name, str(n)) for process in PROCESSES for n in range(process.pool_count())}


def files(up: Up) -> list[str]:
    return sorted(path.name for path in endpoints.metrics_folder(up.var_dir).iterdir())


def test_every_process_answers_at_one_port_of_this_machine(installation: Installation) -> None:
    families = scrape(installation.up)
    memory = {
        (s.labels["process"], s.labels["worker"]): s.value
        for s in families["process_resident_memory_bytes"].samples
    }
    assert set(memory) == expected()
    assert all(size > 10e6 for size in memory.values())
    for source in ("database", "voids", "queues", "disks"):
        assert families[f"palaestra_{source}_readable"].samples[0].value == 1
    assert families["palaestra_disk_free_bytes"].samples[0].value > 0
    for door in ("ARENA_PORT", "LAB_PORT", "LIVE_PORT"):
        status, _ = installation.up.health(door, "/metrics")
        assert status in (302, 404) or b"palaestra_" not in installation.up.health(door, "/metrics")[1]


def test_work_shows_by_route_and_job_and_no_label_holds_an_id(
    installation: Installation, scene: Scene
) -> None:
    # What was counted by a process that another test has killed is gone.
    scene.play("gym", "math")
    scene.verdicts_wait()
    up = installation.up
    assert value(up, "palaestra_job_seconds", job="judging.judge", process="worker-verify") > 0
    assert value(up, "palaestra_requests", process="arena", method="POST", route="e/<str:token>/submit") > 0
    assert value(up, "palaestra_request_seconds", route="api/v1/episodes/<id:episode_id>/steps") > 0
    assert value(up, "palaestra_requests", process="live", route="wait/episodes/<id:episode_id>") > 0
    assert value(up, "palaestra_chore_seconds", process="sweeper", chore="resend") > 0
    assert value(up, "palaestra_verdict_latency_p95_seconds", queue="verify") > 0
    labels = {text for family in scrape(up).values() for s in family.samples for text in s.labels.values()}
    ids = {*scene.tokens(), *(str(episode["id"]) for episode in scene.episodes if episode["id"] > 600)}
    assert not {text for text in labels if any(part in text for part in scene.tokens())}
    assert not labels & ids
    assert max(map(len, labels)) < 100


def test_every_metric_of_the_alerts_and_the_documentation_exists(installation: Installation) -> None:
    known = set(scrape(installation.up))
    rules = yaml.safe_load((BASE_DIR / "deploy/prometheus/alerts.yml").read_text())["groups"][0]["rules"]
    used = {name for rule in rules for name in METRIC.findall(rule["expr"])}
    assert len(used) >= len(rules)
    described = set(METRIC.findall((BASE_DIR / "docs" / "operations.md").read_text()))
    assert {SUFFIX.sub("", name) for name in used} <= known
    assert {SUFFIX.sub("", name) for name in used} <= {SUFFIX.sub("", name) for name in described}
    assert {SUFFIX.sub("", name) for name in described} <= known
    assert {name for name in known if name.startswith("palaestra_")} <= {
        SUFFIX.sub("", name) for name in described
    }


@pytest.mark.parametrize("process", ["sweeper", "worker-verify"])
def test_a_killed_process_is_counted_and_leaves_nothing_behind(
    installation: Installation, process: str
) -> None:
    up = installation.up
    before, left = value(up, "palaestra_restarts", process=process), files(up)
    begun = {s.value for s in scrape(up)["process_start_time_seconds"].samples}
    installation.kill(process)
    until(
        lambda: value(up, "palaestra_restarts", process=process) == before + 1,
        seconds=RESTART_S,
        what="the restart is counted",
    )
    until(lambda: processes_up(up) == expected(), seconds=RESTART_S, what="all are back")
    assert files(up) == left
    assert {s.value for s in scrape(up)["process_start_time_seconds"].samples} != begun


def test_a_killed_worker_of_a_door_loses_its_place_to_its_successor(installation: Installation) -> None:
    up, left = installation.up, files(installation.up)
    pid = VICTIMS["lab's worker"](installation)[0]
    os.kill(pid, signal.SIGKILL)
    until(lambda: processes_up(up) == expected(), seconds=RESTART_S, what="another worker answers")
    assert files(up) == left


def test_a_process_that_hangs_is_down_and_the_scrape_goes_on(installation: Installation) -> None:
    pid = installation.now.child("housekeeper")
    os.kill(pid, signal.SIGSTOP)
    try:
        assert processes_up(installation.up) == expected() - {("housekeeper", "0")}
    finally:
        os.kill(pid, signal.SIGCONT)


def test_logs_are_json_and_name_the_request(installation: Installation) -> None:
    up = installation.up
    url = f"http://127.0.0.1:{up.ports['LAB_PORT']}/api/v1/runs"
    answer = httpx.get(url, headers={"X-Request-Id": "trainer-7"}, trust_env=False)
    assert answer.headers["X-Request-Id"] == "trainer-7"
    for path in (up.var_dir / "logs").glob("*.log"):
        if path.stem not in ("postgres", "redis"):
            records = [json.loads(line) for line in path.read_text().splitlines()]
            assert all({"time", "level", "message", "request_id"} <= set(record) for record in records)
