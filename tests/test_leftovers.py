"""A failed test must not fail its neighbours, and says itself what it left open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CULPRIT = """
import asyncio, gc, socket, pytest

def opened():
    one = socket.socket()
    circle = [one]
    circle.append(circle)
    return circle

@pytest.fixture
def server():
    held = opened()
    yield held

def test_culprit{arguments}:
    held = opened()
    try:
        raise ValueError("first")
    except ValueError as first:
        raise AssertionError("culprit") from first

async def test_culprit_of_tasks():
    async def work():
        held = opened()
        raise AssertionError("culprit")
    await asyncio.gather(work(), asyncio.sleep(0))

def test_neighbour():
    gc.collect()
"""


@pytest.mark.parametrize("arguments", ["()", "(server)"])
@pytest.mark.parametrize("with_plugin", [True, False])
def test_a_failed_test_fails_no_neighbour(arguments: str, with_plugin: bool, tmp_path: Path) -> None:
    tests = tmp_path / "test_two.py"
    tests.write_text(CULPRIT.replace("{arguments}", arguments))
    ini = tmp_path / "pytest.ini"
    ini.write_text("[pytest]\nfilterwarnings = error\nasyncio_mode = auto\n")
    plugins = ["-p", "tests.leftovers"] if with_plugin else []
    others = ("django", "schemathesis", "cacheprovider", "xdist", "rerunfailures")
    left_out = [part for name in others for part in ("-p", f"no:{name}")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", str(ini), *plugins, *left_out, str(tests)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    failed = {line.split("::")[1].split()[0] for line in run.stdout.splitlines() if line.startswith("FAILED")}
    assert ("test_neighbour" in failed) is not with_plugin, run.stdout
    assert {"test_culprit", "test_culprit_of_tasks"} <= failed
    assert ("Left open by this test" in run.stdout) is with_plugin
    assert "<socket.socket" in run.stdout.partition("short test summary")[0]
