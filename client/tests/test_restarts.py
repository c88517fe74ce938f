"""An arena that is restarted in the middle of an episode: the agent learns nothing of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Env
from palaestra.env import Stepped
from palaestra.observation import Observation
from palaestra.pages.lite import LitePool
from palaestra.pages.lite.exchange import Answer, ExchangeError
from palaestra.pages.pool import PagePool
from test_env import target

AWAY = [0, 503, 0, 500]
NO_ANSWER, FAILED = [0], [503]
SHOWN, HIDDEN = b".hint { display: block }", b".hint { display: none }"
STYLED = b"""<!doctype html><title>Question</title><link rel="stylesheet" href="/static/page.css">
<p>The question</p><p class="hint">Hidden</p>"""


@pytest_asyncio.fixture(params=["chromium", "lite"])
async def env(fake: FakeServer, pool: PagePool, request: pytest.FixtureRequest) -> AsyncIterator[Env]:
    fake.state.runs.append({"id": 7, "name": "restarts", "settings": {"browser": request.param}})
    own = {"pool": pool} if request.param == "chromium" else {}
    async with Env(fake.lab_url, "key", run=7, browser=request.param, **own) as made:
        yield made


async def test_pages_are_opened_again_until_the_arena_sends_them(env: Env, fake: FakeServer) -> None:
    fake.state.arena_failures = list(AWAY)
    observation = await env.reset(1)
    assert "Your answer" in observation.text
    assert fake.state.arena_failures == []

    fake.state.arena_failures = list(AWAY)
    again, _, _, _, info = await env.step(f'Action: {{"type": "goto", "url": "{observation.url}"}}')
    assert info["action_result"] == "ok"
    assert again.text == observation.text


@pytest.mark.parametrize("failures", [NO_ANSWER, FAILED])
async def test_an_answer_is_sent_again(env: Env, fake: FakeServer, failures: list[int]) -> None:
    observation = await answer_type(env, await env.reset(1))
    fake.state.arena_failures = list(failures)
    _, reward, *_ = await button_press(env, observation)
    assert reward == 1.0
    assert (
        len([path for method, path, _ in fake.state.requests if method == "POST" and "submit" in path]) == 2
    )


async def test_a_style_sheet_is_awaited_until_the_arena_sends_it() -> None:
    """Without its styles a page read over HTTP would show the agent what a browser hides."""
    sheets = iter([None, Answer(503, {}, SHOWN), Answer(200, {}, HIDDEN)])

    class Arena:
        async def send(self, method: str, url: str, **_: object) -> Answer:
            sheet = next(sheets) if url.endswith("/static/page.css") else Answer(200, {}, STYLED)
            if sheet is None:
                raise ExchangeError("no answer")
            return sheet

        async def aclose(self) -> None:
            """Nothing is open."""

    page = await LitePool(size=1, exchange=Arena()).acquire()
    await page.begin("http://arena/e/token/")
    view = await page.observe(acted=False)
    assert view is not None
    assert "The question" in view.text
    assert "Hidden" not in view.text
    assert next(sheets, None) is None


async def answer_type(env: Env, observation: Observation) -> Observation:
    box = target(observation.text, "textbox")
    return (await env.step(f'Action: {{"type": "type", "target": "{box}", "text": "42"}}'))[0]


async def button_press(env: Env, observation: Observation) -> Stepped:
    return await env.step(f'Action: {{"type": "click", "target": "{target(observation.text, "button")}"}}')
