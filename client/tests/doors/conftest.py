"""Doors are tested with the real packages against a real installation: ``make test-doors``."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("script")

from script import OUTCOMES, SCRIPTS, SERVER, Played, Scene, play, scene_make  # noqa: E402


@pytest.fixture(scope="session", params=SCRIPTS)
def reference(request: pytest.FixtureRequest) -> Played:
    """Every script, played through ``palaestra.Env``."""
    played = asyncio.run(play(SCRIPTS[request.param]))
    assert (played.verdict.outcome, played.verdict.reward) == OUTCOMES[request.param]
    return played


@pytest.fixture
def scene(request: pytest.FixtureRequest) -> Scene:
    return asyncio.run(scene_make(f"doors: {request.node.name}"))


@pytest.fixture(params=["here", "on a stage"])
def place(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """Where the pages are, as keywords of a door."""
    return {} if request.param == "here" else {"stages": [request.getfixturevalue("stage")]}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a stage with browser pages, whose token the doors find in the environment."""
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
