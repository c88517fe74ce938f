"""Doors themselves are tested with their frameworks: see ``tests/doors``."""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import palaestra
from fake_server import FakeServer
from palaestra.doors.rollouts import Rollouts
from palaestra.pages.pool import PagePool

SOURCE = Path(palaestra.__file__).parent
DOORS = SOURCE / "doors"
# Each door's package, and what that brings.
FRAMEWORKS = {"gymnasium", "mcp", "inspect_ai", "openenv", "verifiers", "trl", "verl", "nemo_gym"}
FRAMEWORKS |= {"browsergym", "agentlab"}
BROUGHT = {"uvicorn", "pydantic", "datasets", "omegaconf", "aiohttp", "fastapi", "pyparsing"}
BROUGHT |= {"resources_servers", "responses_api_agents"}  # by NeMo Gym
# The framework that a door's own is built on.
BELOW = {"browsergym": {"gymnasium"}, "agentlab": {"browsergym"}}
OF_THE_CLIENT = {"palaestra", "PIL", "msgspec"}


def imports_of(path: Path) -> set[str]:
    return set(re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE))


def test_the_client_imports_no_door() -> None:
    inside = [path for path in SOURCE.rglob("*.py") if DOORS not in path.parents]
    assert [path for path in inside if any("palaestra.doors" in name for name in imports_of(path))] == []


def test_a_door_imports_its_own_framework_alone() -> None:
    for path in DOORS.glob("*.py"):
        tops = {name.partition(".")[0] for name in imports_of(path)}
        foreign = tops - sys.stdlib_module_names - OF_THE_CLIENT
        assert foreign <= FRAMEWORKS | BROUGHT, path
        door = path.stem.removesuffix("_calls")
        named = foreign - BROUGHT - BELOW.get(door, set())
        assert {name.removesuffix("_ai") for name in named} <= {door}, path


async def test_a_door_without_a_browser_starts_none(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PagePool, "acquire", None)
    fake.state.runs.append({"id": 7, "name": "lite", "settings": {"browser": "lite"}})
    rollouts = Rollouts(fake.lab_url, "key", run=7, browser="lite")
    async with rollouts.env() as env:
        observation = await rollouts.reset(env, 1)
    assert "Your answer" in observation.text


class Opening:
    """An environment whose episodes begin slowly, or not at all."""

    def __init__(self, *, fails: bool) -> None:
        self.episode: SimpleNamespace | None = None
        self._fails = fails

    async def reset(self, task: int, *, seed: int | None = None, group: int | None = None) -> int:
        await asyncio.sleep(0)
        if self._fails:
            raise ConnectionError
        self.episode = SimpleNamespace(opened=SimpleNamespace(group=group or id(self)))
        return self.episode.opened.group


def test_rollouts_go_on_in_another_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    environments = [nullcontext(Opening(fails=place < 2)) for place in range(4)]
    monkeypatch.setattr("palaestra.doors.rollouts.env_make", lambda *_, **__: environments.pop(0))
    rollouts = Rollouts("http://lab", "key", run=7, stages="http://stage")

    async def rollout() -> int:
        async with rollouts.env() as env:
            return await rollouts.reset(env, 1)

    async def both() -> list[int | BaseException]:
        return await asyncio.gather(rollout(), rollout(), return_exceptions=True)

    assert [type(outcome) for outcome in asyncio.run(both())] == [ConnectionError] * 2
    one, other = asyncio.run(both())
    assert one == other
