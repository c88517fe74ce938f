"""Stages killed with -9 while episodes are played, what they leave behind, and browsers that grow old."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator

import psutil
import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Client, RemoteEnv
from palaestra.errors import BrowserMissing
from palaestra.pages.pool import PagePool
from palaestra.stage import orphans
from palaestra.stage.browsers import Browsers
from palaestra.stage.orphans import MARK, find_marked, mark_make, orphans_end
from palaestra.stage_config import StageConfig
from stages import LITE_RUN, TOKEN, StageProcess, stage_serve
from test_stage import move

TRAINERS = 8
EPISODES = 4
THINKING_S = 0.3
KILLS = 6
SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


async def played(env: RemoteEnv, task: int, *, thinking_s: float) -> float | None:
    """The reward of an episode."""
    observation, reward, is_over = await env.reset(task), None, False
    while not is_over:
        await asyncio.sleep(random.uniform(0, thinking_s))
        observation, reward, terminated, truncated, _ = await env.step(move(observation.text))
        is_over = terminated or truncated
    return reward


def no_step_is_lost_or_doubled(fake: FakeServer) -> None:
    for episode in fake.state.episodes.values():
        indexes = sorted(episode["steps"])
        assert indexes == list(range(1, len(indexes) + 1))
    posts = Counter(path for method, path, _ in fake.state.requests if method == "POST")
    assert set(posts.values()) == {1}, "each answer was submitted once"


async def test_killed_stages_lose_no_episode_and_double_no_step(fake: FakeServer) -> None:
    fake.state.runs.append(LITE_RUN)
    fake.state.max_steps = 50
    stages = [StageProcess(fake, "--pages", "0") for _ in range(2)]
    await asyncio.gather(*(stage.start() for stage in stages))
    addresses = [stage.address for stage in stages]
    playing = True

    def is_hit() -> bool:
        return any(path.endswith("/resume") for _, path in fake.state.calls)

    async def trainer(number: int) -> list[float | None]:
        """The rewards of some episodes, and of more where stages start too slowly for a kill to hit one."""
        rewards: list[float | None] = []
        async with RemoteEnv(addresses, TOKEN, run=7, browser="lite") as env:
            while len(rewards) < EPISODES or not is_hit():
                rewards.append(await played(env, 1 + number % 5, thinking_s=THINKING_S))
        return rewards

    async def chaos() -> int:
        kills = 0
        while playing or kills < KILLS:
            stage = stages[kills % 2]
            await asyncio.sleep(random.uniform(0.2, 0.6))
            await stage.kill()
            kills += 1
            await stage.start()
        return kills

    killing = asyncio.ensure_future(chaos())
    played_each = await asyncio.gather(*(trainer(number) for number in range(TRAINERS)))
    playing = False
    await killing
    await asyncio.gather(*(stage.stop() for stage in stages))
    rewards = [reward for one in played_each for reward in one]
    assert set(rewards) == {1.0}
    assert len(fake.state.episodes) == len(rewards), "no reset was done twice"
    no_step_is_lost_or_doubled(fake)


async def test_an_episode_in_a_browser_survives_its_stage_and_no_browser_is_left(
    fake: FakeServer, pool: PagePool
) -> None:
    fake.state.max_steps = 20
    stages = [StageProcess(fake, "--pages", "1", "--lite-pages", "0") for _ in range(2)]
    await stages[0].start()
    async with RemoteEnv([stage.address for stage in stages], TOKEN, run=7) as env:
        observation = await env.reset(3)
        observation, *_ = await env.step(move(observation.text))
        assert 'value="42"' in observation.text
        dead = stages[0].process.pid
        await stages[0].kill()
        await stages[1].start()
        _, reward, *_ = await env.step(move(observation.text))
        assert reward == 1.0, "the field holds what was typed into it before the kill"
    no_step_is_lost_or_doubled(fake)
    assert [mark for _, mark in find_marked(psutil.process_iter()) if f":{dead}:" in mark] == []
    assert await stages[1].stop() == 0


def test_only_what_a_dead_stage_left_is_ended() -> None:
    gone = subprocess.Popen([*SLEEPER[:2], ""])
    own = mark_make(1)
    namespace, pid, begun = own.partition("/")[0].split(":")
    gone.wait()
    marks = {
        "of a dead stage": f"{namespace}:{gone.pid}:{begun}/1",
        "of an older process with this number": f"{namespace}:{pid}:1/1",
        "of a stage that lives": own,
        "of another container": f"0{namespace}1:{gone.pid}:{begun}/1",
        "of something else": "1",
    }
    sleepers = {who: subprocess.Popen(SLEEPER, env={MARK: mark}) for who, mark in marks.items()}
    sleepers["a stranger"] = subprocess.Popen(SLEEPER)
    try:
        assert orphans_end() == 2
        ended = {who for who, sleeper in sleepers.items() if sleeper.poll() is not None}
        assert ended == {"of a dead stage", "of an older process with this number"}
    finally:
        for sleeper in sleepers.values():
            sleeper.kill()
            sleeper.wait()


def test_a_stage_lives_though_the_clock_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = mark_make(1)
    sleeper = subprocess.Popen(SLEEPER, env={MARK: mark})
    try:
        monkeypatch.setattr("psutil.process_iter", lambda: [psutil.Process(sleeper.pid)])
        booted_at = psutil.boot_time()
        monkeypatch.setattr("psutil._pslinux.boot_time", lambda: booted_at + 3_600)
        assert orphans_end() == 0
        assert mark_make(1) == mark
    finally:
        sleeper.kill()
        sleeper.wait()


async def test_a_stage_looks_for_orphans_while_it_serves(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks: list[threading.Thread] = []

    def look() -> int:
        looks.append(threading.current_thread())
        return 2

    # The machine's own processes are left alone: other tests have orphans of theirs.
    monkeypatch.setattr(orphans, "orphans_end", look)
    monkeypatch.setattr(orphans, "LOOK_S", 0.01)
    async with stage_serve(fake, pages=0):
        for _ in range(500):
            await asyncio.sleep(0.01)
            if len(looks) > 1:
                break
    assert len(looks) > 1
    assert threading.main_thread() not in looks, "the stage serves meanwhile"
    assert "Ended 2 browser processes" in caplog.text


@pytest_asyncio.fixture
async def client(fake: FakeServer) -> AsyncIterator[Client]:
    async with Client(fake.lab_url, "key") as made:
        yield made


@pytest.mark.parametrize("life", [{"browser_memory_mb": 1}, {"browser_minutes": 0.0}])
async def test_a_worn_browser_ends_with_its_last_episode(life: dict[str, float], client: Client) -> None:
    browsers = Browsers(client, StageConfig(pages=2, **life))
    try:
        first = await browsers.acquire()
    except BrowserMissing as missing:
        pytest.skip(str(missing))
    await browsers.look()
    second = await browsers.acquire()
    assert first.page.context.browser is not second.page.context.browser
    assert (browsers.running, browsers.recycled) == (2, 0)
    assert browsers.memory_mb > 1
    await browsers.release(first)
    assert (browsers.running, browsers.recycled) == (1, 1)
    assert not first.page.context.browser.is_connected()
    await browsers.release(second)
    await browsers.aclose()
