"""Fixtures for tests of doors with the real packages, against a real installation: ``make test-doors``."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("script", "samples")

from samples import SAMPLES, Seat, seat_make  # noqa: E402
from script import SCRIPTS, SERVER, Played, Scene, Script, play, profile_stored, scene_make  # noqa: E402


@pytest.fixture(scope="session", params=SCRIPTS)
def reference(request: pytest.FixtureRequest) -> Played:
    """Play each script through ``palaestra.Env``."""
    return asyncio.run(play(SCRIPTS[request.param]))


@pytest.fixture
def script(request: pytest.FixtureRequest) -> Script:
    """Return the script of the test's reference if it has one, otherwise the script ``right``."""
    has_reference = "reference" in request.fixturenames
    return request.getfixturevalue("reference").script if has_reference else SCRIPTS["right"]


@pytest.fixture
def scene(request: pytest.FixtureRequest, script: Script) -> Scene:
    """Create a run for the test, and return it with the script's task."""
    return asyncio.run(scene_make(f"doors: {request.node.name}", script=script))


@pytest.fixture(scope="session")
def profile() -> str:
    """Store a reward profile that pays for more than the outcome, and return its name."""
    return asyncio.run(profile_stored())


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.name)
def seat(request: pytest.FixtureRequest) -> Seat:
    """Prepare each episode of the table with its own run, in the grammar of the test's module."""
    return seat_make(request.param, grammar=getattr(request.module, "GRAMMAR", "json"))


@pytest.fixture(params=["here", "on a stage"])
def place(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """Return the keywords that tell a door where its pages are."""
    return {} if request.param == "here" else {"stages": [request.getfixturevalue("stage")]}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the URL of a stage with browser pages, whose token the doors find in the environment."""
    monkeypatch.setenv("PALAESTRA_STAGE_TOKEN", "the token of a stage")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "palaestra", "stage", "--server", SERVER, "--port", str(port)]
    with subprocess.Popen([*command, "--pages", "2"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "listens at" in line:
                break
        else:
            pytest.fail("the stage did not start")
        yield f"http://127.0.0.1:{port}"
        process.terminate()
