"""BrowserGym's MiniWoB++ beside Palaestra: how long a reset and a step take, turn and turn about.

A text is typed into the only field of a page, and a button is clicked. The pages of MiniWoB++ are read from
the disk; Palaestra's come from a server, which records and judges.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from browsergym.core.action.highlevel import HighLevelActionSet
from chromium_link import chromium_link
from script import GOLD, KEY, OPENING, SERVER, Scene, scene_make

from palaestra import Env
from palaestra.doors.browsergym import tasks_register
from palaestra.doors.loop_thread import LoopThread, run_blocking

PACKAGE = importlib.util.find_spec("miniwob")
assert PACKAGE is not None
assert PACKAGE.origin is not None
PAGES = (Path(PACKAGE.origin).parent / "html" / "miniwob").as_uri() + "/"
os.environ |= {"PALAESTRA_KEY": KEY, "PLAYWRIGHT_BROWSERS_PATH": chromium_link(), "MINIWOB_URL": PAGES}
TURNS = int(os.environ.get("TURNS", "5"))
ACTIONS = HighLevelActionSet(retry_with_force=True).to_python_code
BASE = "palaestra.Env"
AT_BEST = "MiniWoB, without its waits"
AT_ONCE = {"slow_mo": 0, "pre_observation_delay": 0}
Episode = Callable[[], tuple[float, float, float]]


def browsergym_episode(stack: ExitStack, name: str, **settings: Any) -> Episode:
    env = gymnasium.make(name, disable_env_checker=True, action_mapping=ACTIONS, **settings)
    stack.callback(env.close)

    def play() -> tuple[float, float, float]:
        begun = time.perf_counter()
        shown, _ = env.reset(seed=1)
        opened = time.perf_counter()
        quoted = re.search(r'Enter "(.+?)"', shown["goal"])
        text = quoted[1] if quoted else GOLD
        shown, *_ = env.step(f"fill('{element(shown, 'textbox')}', '{text}')")
        _, reward, *_ = env.step(f"click('{element(shown, 'button')}')")
        return opened - begun, (time.perf_counter() - opened) / 2, reward

    return play


def element(shown: dict[str, Any], role: str) -> str:
    nodes = shown["axtree_object"]["nodes"]
    return [node["browsergym_id"] for node in nodes if node["role"]["value"] == role][-1]


def own_episode(stack: ExitStack, scene: Scene, **settings: Any) -> Episode:
    loop = LoopThread()
    stack.callback(loop.end)
    env = loop.call(Env(**scene.env, recording="full", **settings).__aenter__())
    stack.callback(lambda: loop.call(env.__aexit__(None, None, None)))

    def play() -> tuple[float, float, float]:
        begun = time.perf_counter()
        shown = loop.call(env.reset(scene.task, seed=1))
        opened = time.perf_counter()
        field, button = (re.search(rf"\[(e\d+)\] {role}", shown.text)[1] for role in ("textbox", "button"))
        loop.call(env.step(f'Action: {{"type": "type", "target": "{field}", "text": "{GOLD}"}}'))
        _, reward, *_ = loop.call(env.step(f'Action: {{"type": "click", "target": "{button}"}}'))
        return opened - begun, (time.perf_counter() - opened) / 2, reward or 0.0

    return play


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


def test_miniwob_beside_palaestra(stack: ExitStack, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("browsergym.miniwob")  # registers its tasks
    scene = run_blocking(scene_make("doors: beside MiniWoB"))
    [own] = tasks_register(SERVER, run=scene.run, ids=[scene.task], **OPENING)
    theirs = "browsergym/miniwob.enter-text"
    players = {
        "MiniWoB, BrowserGym's defaults": browsergym_episode(stack, theirs),
        AT_BEST: browsergym_episode(stack, theirs, **AT_ONCE),
        "Palaestra by BrowserGym, without its waits": browsergym_episode(stack, own, **AT_ONCE),
        "palaestra.Env, with screenshots": own_episode(stack, scene, with_pictures=True),
        BASE: own_episode(stack, scene),
    }
    measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in players}
    for turn in range(TURNS + 1):
        for name, play in players.items():
            episode = play()
            measured[name] += [episode] if turn else []  # the first of all is slow
    middle = {
        name: [1000 * statistics.median(part) for part in list(zip(*episodes, strict=True))[:2]]
        for name, episodes in measured.items()
    }
    base = middle[BASE]
    with capsys.disabled():
        print(f"\nmedians of {TURNS} episodes: reset and step in ms, and how many times palaestra.Env's")
        for name, (reset, step) in middle.items():
            ratios = f"{reset / base[0]:5.1f} {step / base[1]:5.1f}"
            print(f"{name:45} {reset:8.0f} {step:8.0f}   {ratios}")
    assert all(reward == 1.0 for episodes in measured.values() for *_, reward in episodes)
    assert middle[AT_BEST][0] > base[0]
