"""What a process counts, and how another asks for it."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from core.telemetry import exposition, metrics
from core.telemetry.exposition import Slot


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """Longer than the address of a socket may be."""
    settings.METRICS_DIR = tmp_path / ("long" * 30)
    settings.METRICS_PORT = 1
    return settings.METRICS_DIR


def _samples(counter: metrics.RequestCounter) -> dict[str, dict[tuple[str, ...], float]]:
    return {
        family.name: {(s.name, *s.labels.values()): s.value for s in family.samples}
        for family in counter.collect()
    }


def test_requests_are_counted_by_route_method_and_status_and_timed_by_route() -> None:
    counter = metrics.RequestCounter()
    for seconds, status in ((0.004, 200), (0.3, 200), (99.0, 500)):
        counter.note(route="a/<id>", method="GET", status=status, seconds=seconds)
    samples = _samples(counter)
    assert samples["palaestra_requests"] == {
        ("palaestra_requests_total", "a/<id>", "GET", "200"): 2,
        ("palaestra_requests_total", "a/<id>", "GET", "500"): 1,
    }
    times = samples["palaestra_request_seconds"]
    assert times["palaestra_request_seconds_bucket", "a/<id>", "0.005"] == 1
    assert times["palaestra_request_seconds_bucket", "a/<id>", "0.5"] == 2
    assert times["palaestra_request_seconds_bucket", "a/<id>", "+Inf"] == 3
    assert times["palaestra_request_seconds_sum", "a/<id>"] == pytest.approx(99.304)


def test_a_method_of_the_clients_own_is_no_label_and_a_wait_has_no_duration() -> None:
    counter = metrics.RequestCounter()
    for number in range(1_000):
        counter.note(route="wait", method=f"HACK{number}", status=405)
    samples = _samples(counter)
    assert samples["palaestra_requests"] == {("palaestra_requests_total", "wait", "other", "405"): 1_000}
    assert samples["palaestra_request_seconds"] == {}


def test_processes_of_one_name_have_places_of_their_own(folder: Path) -> None:
    exposition.expose("lab")
    exposition.expose("lab")
    exposition.expose("live")
    assert exposition.list_slots(folder) == [Slot("lab", 0), Slot("lab", 1), Slot("live", 0)]
    for place in exposition.list_slots(folder):
        names = {family.name for family in exposition.read_metrics(folder, place) or ()}
        assert {"palaestra_requests", "process_resident_memory_bytes"} <= names


def test_a_killed_process_is_silent_and_its_successor_has_its_place(folder: Path) -> None:
    ready, go_on = os.pipe()
    pid = os.fork()
    if not pid:
        exposition.expose("lab")
        os.write(go_on, b".")
        threading.Event().wait()
    os.read(ready, 1)
    assert exposition.read_metrics(folder, Slot("lab", 0)) is not None
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert exposition.list_slots(folder) == [Slot("lab", 0)]
    assert exposition.read_metrics(folder, Slot("lab", 0)) is None
    left = sorted(os.listdir(folder))
    exposition.expose("lab")
    assert exposition.read_metrics(folder, Slot("lab", 0)) is not None
    assert sorted(os.listdir(folder)) == left


def test_a_process_that_does_not_answer_costs_a_limited_wait(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exposition, "CLIENT_S", 0.05)
    folder.mkdir()
    directory = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"/proc/self/fd/{directory}/lab.0.sock")
        silent.listen()
        assert exposition.read_metrics(folder, Slot("lab", 0)) is None
    os.close(directory)


def test_without_a_port_or_a_folder_nothing_is_exposed(folder: Path, settings: Any) -> None:
    folder.parent.mkdir(exist_ok=True)
    folder.touch()
    exposition.expose("lab")
    folder.unlink()
    settings.METRICS_PORT = 0
    exposition.expose("lab")
    assert not folder.exists()
