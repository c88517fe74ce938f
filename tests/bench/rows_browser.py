"""Rows of rollouts in a real browser: the engine, compared with a static copy of the page and with naive use.

On the static copy, the same warm pages do the same actions, but nothing is opened, recorded or judged. Naive
use opens a new context for every episode, one after another, with Playwright's ordinary calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator

from playwright.async_api import Browser, async_playwright

from palaestra.actions import action_check, action_perform
from palaestra.api import Client
from palaestra.engine import Engine
from palaestra.episode_config import EpisodeConfig
from palaestra.pages.browser import ARGUMENTS, browser_find
from palaestra.pages.pool import PagePool
from palaestra.policies import Solver
from palaestra.policies.solver import Solution
from palaestra.protocol.looks import NEUTRAL
from palaestra.records import Step
from tests.bench.installation import Installation
from tests.bench.servers import BASE_DIR, wsgi_server
from tests.bench.table import Row

PAGES = 3
EPISODES = 120
WARM_UP = 12
NAIVE_EPISODES = 20
ANSWER = "42"
SETTLED = "document.documentElement.dataset.settled === 'true'"


def rows(place: Installation) -> Iterator[Row]:
    static, ours, naive = asyncio.run(_measure(place))
    yield Row(
        "browser episodes",
        ours.rate,
        "/s",
        0,
        peer=static.rate,
        beside="same actions, static copy",
        ratio_target=0.9,
        note=f"{PAGES} pages; observe, type, observe, submit, verdict",
    )
    yield Row(
        "browser episodes",
        ours.rate,
        "/s",
        0,
        peer=naive.rate,
        beside="fresh context each, one by one",
        ratio_target=5.0,
    )


class Pace:
    """The rate of a number of episodes."""

    def __init__(self, count: int, seconds: float) -> None:
        self.rate = count / seconds


async def _measure(place: Installation) -> tuple[Pace, Pace, Pace]:
    with _static_copy(place) as address:
        static = await _on_static_copy(address)
    ours = await _engine(place)
    naive = await _naively(place)
    return static, ours, naive


async def _engine(place: Installation) -> Pace:
    task = place.question_ids()[0]
    policy = Solver({task: Solution(task=task, answer=ANSWER)})
    async with Client(place.lab, place.key) as client:
        run = await client.run_create(name="browser", kind="eval", model="scripted", simulated=True)
        async with Engine(client, pages=PAGES, config=EpisodeConfig()) as engine:
            for samples in (WARM_UP, EPISODES):
                begun = time.perf_counter()
                done = await engine.rollout(
                    run=run.id,
                    tasks=[task],
                    samples_per_task=samples,
                    policy=policy,
                    presentation=dict(NEUTRAL),
                )
                seconds = time.perf_counter() - begun
    bad = [rollout for rollout in done if rollout.outcome not in ("correct", "incorrect")]
    if bad:
        raise RuntimeError(f"{len(bad)} of {len(done)} episodes were not judged: {bad[0]}")
    return Pace(len(done), seconds)


# --- The floor: the same actions on a static copy --------------------------------------------------------


@contextlib.contextmanager
def _static_copy(place: Installation) -> Iterator[str]:
    folder = place.var_dir / "static-copy"
    folder.mkdir()
    (episode,) = place.episodes_open(place.run_create("static copy"), place.question_ids()[:1])
    start_url = episode["start_url"]
    html = _fetch(start_url)
    (folder / ".html").write_bytes(html)
    urllib.request.urlopen(f"{start_url}submit", b"answer=42").read()
    (folder / "done.html").write_bytes(_fetch(f"{start_url}done"))
    version = re.findall(rb"/static/([0-9a-f]+)/", html)[0].decode()
    shutil.copytree(BASE_DIR / "static", folder / "static" / version)
    with wsgi_server(
        "tests.bench.static_copy:application",
        *("--static-path-mount", str(folder / "static")),
        workers=2,
        env={"STATIC_COPY": str(folder)},
    ) as server:
        yield f"{server.url}/e/{'0' * 32}/"


def _fetch(url: str) -> bytes:
    return bytes(urllib.request.urlopen(url).read())


async def _on_static_copy(address: str) -> Pace:
    pool = PagePool(origin=address.partition("/e/")[0], size=PAGES)
    try:
        for _ in range(WARM_UP):
            await _warm_episode(pool, address)
        begun = time.perf_counter()
        await asyncio.gather(*(_warm_episode(pool, address) for _ in range(EPISODES)))
        return Pace(EPISODES, time.perf_counter() - begun)
    finally:
        await pool.aclose()


async def _warm_episode(pool: PagePool, address: str) -> None:
    """Do what the engine does on a page in the solver's episode: open, observe, type, observe, submit."""
    page = await pool.acquire()
    try:
        await page.begin(address)
        seen = await page.observe(acted=False)
        actions = [("textbox", {"type": "type", "text": ANSWER}), ("button", {"type": "click"})]
        for step, (role, action) in enumerate(actions, start=1):
            page.turn(step)
            target = re.findall(rf"\[(e\d+)\] {role}", seen.text if seen else "")[0]
            outcome = await action_perform(page, action_check({**action, "target": target}))
            if outcome.result != "ok":
                raise RuntimeError(f"{role}: {outcome}")
            seen = await page.observe(acted=True)
    finally:
        await pool.release(page)


# --- Naive: a fresh context for every episode -------------------------------------------------------------


async def _naively(place: Installation) -> Pace:
    task = place.question_ids()[0]
    async with async_playwright() as playwright, Client(place.lab, place.key) as client:
        browser = await _browser(playwright)
        run = await client.run_create(name="naive", kind="eval", model="scripted", simulated=True)
        begun = time.perf_counter()
        for _ in range(NAIVE_EPISODES):
            await _naive_episode(browser, client, run.id, task)
        seconds = time.perf_counter() - begun
        await browser.close()
    return Pace(NAIVE_EPISODES, seconds)


async def _naive_episode(browser: Browser, client: Client, run: int, task: int) -> None:
    opening = await client.episodes_open(run=run, tasks=[task], arm="gym", presentation=dict(NEUTRAL))
    opened = opening.episodes[0]
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(str(opened.start_url))
    await page.wait_for_function(SETTLED)
    await page.locator("body").aria_snapshot()
    await page.get_by_role("textbox").click()
    await page.keyboard.type(ANSWER)
    await page.locator("body").aria_snapshot()
    await page.get_by_role("button").click()
    await page.wait_for_url("**/done")
    await page.wait_for_function(SETTLED)
    for index in (1, 2):
        await client.steps_post(opened.id, [Step(index=index, thought="t", action={"type": "noop"})])
    await client.wait_episode(opened.id)
    await context.close()


async def _browser(playwright: object) -> Browser:
    launch: Callable[..., Awaitable[Browser]] = playwright.chromium.launch  # type: ignore[attr-defined]
    return await launch(executable_path=browser_find(), args=[*ARGUMENTS, "--no-sandbox"])
