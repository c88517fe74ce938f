"""The numbers of an episode's elements are recorded, so that they can be given out again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Env
from palaestra.pages.lite import LitePool
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import Surface
from palaestra.pages.warm_page import WarmPage
from palaestra.turn.element_ids import KEYS_MAX_CHARS, ElementIds, keys_read
from test_lite import LITE_RUN
from test_reaching import FORM, HEAD, act

# Some keys look like integers: JavaScript does not keep those in their order.
MANY = "<main>" + "".join(f"<a href='p{n}'>Link {n}</a> " for n in range(900)) + "</main>"


@pytest_asyncio.fixture
async def lite_pool() -> AsyncIterator[LitePool]:
    made = LitePool(size=1)
    yield made
    await made.aclose()


def test_each_step_records_the_keys_that_its_observation_needed() -> None:
    ids = ElementIds()
    ids.numbers.update(a=1, b=2)
    ids.show()
    ids.numbers["c"] = 3  # given out by an action: the next observation has it
    assert (ids.take(), ids.take()) == ("a b", None)
    ids.show()
    assert ids.take() == "c"


def test_keys_that_one_step_cannot_hold_follow_with_the_next() -> None:
    ids, key = ElementIds(), "k" * 999
    ids.numbers.update({f"{number:03}{key}": number for number in range(1, 151)})
    ids.show()
    first, second = ids.take() or "", ids.take() or ""
    assert len(first) <= KEYS_MAX_CHARS
    assert first.split() + second.split() == list(ids.numbers)


def test_numbers_go_on_after_those_on_record() -> None:
    ids = ElementIds()
    ids.adopt(keys_read([{"element_ids": "a b"}, {"element_ids": None}, {"element_ids": "c"}]))
    assert ids.numbers == {"a": 1, "b": 2, "c": 3}
    assert ids.take() is None


async def steps_of(env: Env, fake: FakeServer) -> list[dict[str, Any]]:
    fake.state.max_steps = 20
    fake.state.pages = {"many": HEAD + MANY, "form": HEAD + FORM}
    await env.reset(1)
    for url in ("many", "form", "many"):
        assert (await act(env, type="goto", url=url))[0] == "ok"
    await act(env, type="noop")
    return list(fake.state.episodes[1]["steps"].values())


def replayed(steps: list[dict[str, Any]]) -> dict[str, int]:
    ids = ElementIds()
    ids.adopt(keys_read(steps))
    return ids.numbers


@pytest.mark.parametrize("browser", ["chromium", "lite"])
async def test_the_recorded_keys_have_the_numbers_that_were_shown(
    browser: str, fake: FakeServer, pool: PagePool, lite_pool: LitePool
) -> None:
    fake.state.runs.append(LITE_RUN)
    pages = pool if browser == "chromium" else lite_pool
    async with Env(fake.lab_url, "key", run=7, pool=pages, browser=browser) as env:
        steps = await steps_of(env, fake)
        assert env.episode is not None
        assert replayed(steps) == env.episode._ids.numbers
        texts = [step["observation"]["text"] for step in steps]
    for place, text in enumerate(texts):
        highest = max(int(number) for number in re.findall(r"\[e(\d+)\]", text))
        assert len(replayed(steps[: place + 1])) >= highest
    assert len(keys_read(steps)) == len(set(keys_read(steps)))
    assert all(len(key) <= 11 for key in keys_read(steps))
    assert keys_read(steps[3:]) == []  # a page that was known gives out no new ones


@pytest.mark.parametrize("browser", ["chromium", "lite"])
async def test_another_episode_with_the_recorded_keys_shows_the_same_numbers(
    browser: str, fake: FakeServer, page: WarmPage, lite_pool: LitePool
) -> None:
    surface: Surface = page if browser == "chromium" else await lite_pool.acquire()
    fake.state.pages = {"form": HEAD + FORM, "many": HEAD + MANY}
    fake.state.episodes = {number: {"token": f"tok-{number}", "events": []} for number in (1, 2)}
    texts: list[str] = []
    known = ElementIds()
    for episode, ids in enumerate((known, ElementIds()), start=1):
        if ids is not known:
            ids.adopt(known.numbers)
        for path in ("form", "many", "form") if ids is known else ("many",):
            await surface.begin(f"{fake.arena_url}/e/tok-{episode}/{path}", ids=ids.numbers)
            view = await surface.observe(acted=False)
            assert view is not None
            texts.append(surface.masked(view.text))
    assert texts[1].split("\n") == texts[3].split("\n")
    assert "[e905]" in texts[1]
    assert len(ids.numbers) == len(known.numbers)


def test_a_fork_records_again_what_its_parent_recorded_later() -> None:
    ids = ElementIds()
    ids.adopt(["a", "b"])
    ids.restore(["a", "b", "c"])
    ids.show()
    assert ids.numbers == {"a": 1, "b": 2, "c": 3}
    assert ids.take() == "c"
    assert ids.take() is None


def test_a_fork_of_the_beginning_records_all_its_keys() -> None:
    ids = ElementIds()
    ids.restore(["a", "b"])
    assert ids.take() == "a b"
