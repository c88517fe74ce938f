"""Doors are tested with the real packages against a real installation: ``make test-doors``."""

from __future__ import annotations

import asyncio

import pytest

pytest.register_assert_rewrite("script")

from script import OUTCOMES, SCRIPTS, Played, Scene, play, scene_make  # noqa: E402


@pytest.fixture(scope="session", params=SCRIPTS)
def reference(request: pytest.FixtureRequest) -> Played:
    """Every script, played through ``palaestra.Env``."""
    played = asyncio.run(play(SCRIPTS[request.param]))
    assert (played.verdict.outcome, played.verdict.reward) == OUTCOMES[request.param]
    return played


@pytest.fixture
def scene(request: pytest.FixtureRequest) -> Scene:
    return asyncio.run(scene_make(f"doors: {request.node.name}"))
