"""Ways out of an episode, tried in a real browser while servers count what gets out."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
from playwright.async_api import CDPSession

from fake_server import REFUSED, FakeServer
from palaestra import Env
from palaestra.pages.bounds import EpisodeBounds
from palaestra.pages.browser import build_resolver_rules
from palaestra.pages.navigation import NavigationGuard
from palaestra.pages.warm_page import WarmPage

LINKS = """<a id="lab" href="{lab}/secret">lab</a> <a id="other" href="/e/tok-other/">other</a>
<a id="away" href="away">away</a> <a id="tab" href="more" target="_blank">tab</a>
<a id="file" href="file.bin">file</a> <a id="save" href="more" download>save</a>
<a id="view" href="view-source:{arena}/">view</a> <a id="root" href="/healthz">root</a>"""


def steps(fake: FakeServer) -> list[tuple[str, str]]:
    return [(method, path) for method, path, _ in fake.state.requests if not path.startswith("/static/")]


async def act(env: Env, **action: object) -> tuple[str, str]:
    obs, _, terminated, _, info = await env.step("Action: " + json.dumps(action))
    assert not terminated
    assert "Question" in obs.text
    return info["action_result"], obs.result_message


@pytest.mark.parametrize(
    "url",
    [
        "{lab}/api/v1/health",
        "{arena}/e/tok-other/",
        "{arena}/healthz",
        "//127.0.0.1:1/",
        "https://gym.example/",
        "https://gym/../tok-other/",
        "https://gym/%2e%2e/tok-other/",
        "https://gym/..\\..\\healthz",
        "https://gym@127.0.0.1/",
        "../tok-other/",
        "file:///etc/passwd",
        "view-source:https://gym/",
        "chrome://version",
        "about:blank",
        "data:text/html,hello",
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        " FILE:///etc/passwd",
        "blob:https://gym/1",
        "",
        "http://",
        "https://[",
    ],
)
async def test_goto_cannot_leave_the_episode(url: str, env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    before = len(steps(fake))
    result, _ = await act(env, type="goto", url=url.format(lab=fake.lab_url, arena=fake.arena_url))
    mine = fake.state.episodes[1]["token"]
    assert all(path.startswith(f"/e/{mine}/") for _, path in steps(fake)[before:])
    assert result == ("ok" if url == "" else "refused")
    assert ("GET", "/api/v1/health") not in fake.state.calls


async def test_goto_reaches_the_pages_of_the_episode(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    for url in ("https://gym/more", "more", "/more", "HTTPS://GYM/more"):
        assert (await act(env, type="goto", url=url))[0] == "ok"
    mine = fake.state.episodes[1]["token"]
    assert steps(fake).count(("GET", f"/e/{mine}/more")) == 4


@pytest.mark.parametrize("link", ["lab", "other", "away", "tab", "file", "view", "root"])
async def test_links_cannot_leave_the_episode(link: str, env: Env, fake: FakeServer) -> None:
    fake.state.extra = LINKS.format(lab=fake.lab_url, arena=fake.arena_url)
    obs = await env.reset(1)
    target = next(line.split("]")[0].strip(" [-") for line in obs.text.splitlines() if f'"{link}"' in line)
    result, _ = await act(env, type="click", target=target)
    assert ("GET", "/secret") not in fake.state.calls
    assert not [path for _, path in steps(fake) if "tok-other" in path or path == "/healthz"]
    assert result == ("ok" if link == "view" else "refused")
    page = env.episode.page if env.episode else None
    assert page is not None
    assert len(page.page.context.pages) == 1


@pytest.mark.parametrize(
    "script",
    [
        "window.open('{lab}/secret')",
        "location = '{lab}/secret'",
        "fetch('{lab}/secret', {{mode: 'no-cors'}}).catch(() => 0)",
        "fetch('/e/tok-other/').catch(() => 0)",
        "navigator.sendBeacon('{lab}/secret', 'x')",
        "new Image().src = '{lab}/secret'",
        "document.body.append(Object.assign(document.createElement('iframe'), {{src: '{lab}/secret'}}))",
    ],
)
async def test_page_scripts_cannot_leave_the_episode(script: str, env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    page = env.episode.page if env.episode else None
    assert page is not None
    await page.page.evaluate(script.format(lab=fake.lab_url) + "; 0")
    await act(env, type="wait", ms=100)
    assert ("GET", "/secret") not in fake.state.calls
    assert ("POST", "/secret") not in fake.state.calls
    assert not [path for _, path in steps(fake) if "tok-other" in path]


async def test_back_ends_at_the_first_page(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    assert (await act(env, type="back"))[0] == "no_target"
    await act(env, type="goto", url="more")
    assert (await act(env, type="back"))[0] == "ok"
    assert (await act(env, type="back"))[0] == "no_target"


FORM = """<form method="post" action="refused"><button id="form">Try</button></form>"""


async def test_a_page_that_the_browser_cannot_open_is_refused_and_left_by_going_back(
    env: Env, fake: FakeServer
) -> None:
    """The browser cannot go back to the result of a form."""
    fake.state.extra, fake.state.max_steps = FORM, 20
    obs = await env.reset(1)
    target = next(line.split("]")[0].strip(" [-") for line in obs.text.splitlines() if '"Try"' in line)
    assert (await act(env, type="click", target=target))[0] == "ok"
    await act(env, type="goto", url="more")
    obs, *_, info = await env.step('Action: {"type": "back"}')
    assert info["action_result"] == "refused"
    assert "could not open that page" in obs.result_message
    assert "Question" not in obs.text
    assert (await act(env, type="back"))[0] == "ok"


async def test_a_refused_answer_is_no_submission(env: Env, fake: FakeServer) -> None:
    obs = await env.reset(1)
    lines = obs.text.splitlines()
    field, button = (
        next(line.split("]")[0].strip(" [-") for line in lines if name in line)
        for name in ('"Your answer"', '"Submit answer"')
    )
    await act(env, type="type", target=field, text=REFUSED)
    assert (await act(env, type="click", target=button))[0] == "ok"
    assert fake.state.episodes[1]["answer"] is None


async def test_a_service_worker_cannot_be_registered(env: Env, fake: FakeServer) -> None:
    await env.reset(1)
    page = env.episode.page if env.episode else None
    assert page is not None
    script = """Promise.race([navigator.serviceWorker.register('sw.js').then(() => 'yes', () => 'no'),
        new Promise(resolve => setTimeout(() => resolve('no'), 300))])"""
    await page.page.evaluate(script)
    assert await page.page.evaluate("navigator.serviceWorker.getRegistrations().then(r => r.length)") == 0


@pytest.mark.parametrize(("path", "named"), [("more", ["4"]), ("submit", ["4"]), ("events", [])])
async def test_a_script_in_the_page_cannot_name_a_step(
    path: str, named: list[str], bounds: EpisodeBounds
) -> None:
    sent: list[dict[str, Any]] = []

    class Session:
        async def send(self, _method: str, params: dict[str, Any]) -> None:
            sent.append(params)

    bounds.step = 4
    guard = NavigationGuard(cast(CDPSession, Session()))
    guard.admit("frame", bounds)
    forged = {"url": bounds.root + path, "method": "POST", "headers": {"x-gym-step": "9999999", "A": "b"}}
    guard._decide({"frameId": "frame", "requestId": "1", "resourceType": "Fetch", "request": forged})
    await asyncio.sleep(0)

    (params,) = sent
    headers = [(header["name"].lower(), header["value"]) for header in params["headers"]]
    assert [value for name, value in headers if name == "x-gym-step"] == named
    assert ("a", "b") in headers


@pytest.mark.parametrize(
    "key", ["Control+t", "Control+v", "Control+c", "F12", "Alt+ArrowLeft", "Meta", "Submit answer"]
)
async def test_keys_of_the_browser_and_the_clipboard_are_refused(
    key: str, env: Env, fake: FakeServer
) -> None:
    await env.reset(1)
    result, message = await act(env, type="press", key=key)
    assert result == "refused"
    assert "Keys are Enter, Escape" in message
    assert message.endswith("A button on the page is clicked instead.")


def test_addresses_are_masked(bounds: EpisodeBounds) -> None:
    text = "http://127.0.0.1:8000/e/abc_DEF-123/x /e/abc_DEF-123/ abc_DEF-123"
    assert bounds.mask(text) == "https://gym/x / ***"


def test_a_shortened_address_has_the_query_of_the_page_that_it_stands_on() -> None:
    bounds = EpisodeBounds.of("http://127.0.0.1:8000/e/tok-en/")
    base = f"{bounds.root}search?guests=2&from=today"
    address = bounds.resolve("https://gym/stays/L-1?...&room=3#x", base=base)
    assert address == f"{bounds.root}stays/L-1?guests=2&from=today&room=3#x"


def test_the_browser_can_resolve_only_one_host() -> None:
    assert (
        build_resolver_rules("http://127.0.0.1:8000") == "MAP 127.0.0.1:8000 127.0.0.1:8000,MAP * ~NOTFOUND"
    )
    assert (
        build_resolver_rules("https://arena.example/")
        == "MAP arena.example:443 arena.example:443,MAP * ~NOTFOUND"
    )


REPORTING = """<!doctype html><html data-settled="true"><title>t</title><h1>Question</h1>
<script>
const send = (path) => navigator.sendBeacon(path, "x");
addEventListener("pagehide", () => ["events", "recording"].forEach(send));
</script>"""


async def test_a_page_flushes_only_its_own_last_reports(page: WarmPage, fake: FakeServer) -> None:
    fake.state.pages["x"] = REPORTING
    fake.state.episodes = {1: {"token": "tok-one"}, 2: {"token": "tok-two"}, 3: {"token": "tok-three"}}
    for token in ("tok-one", "tok-two"):
        await page.begin(f"{fake.arena_url}/e/{token}/x")
        await page.observe(acted=False)
    await page.flush_recorder()
    own = [
        ("POST", f"/e/{token}/{path}") for token in ("tok-one", "tok-two") for path in ("events", "recording")
    ]
    # Beacons are on their way when the flush returns, and nothing in the page says when they arrive.
    async with asyncio.timeout(10):
        while len(reports := [step for step in steps(fake) if step[0] == "POST"]) < len(own):
            await asyncio.sleep(0.02)
    assert sorted(reports) == own
    await page.page.evaluate("fetch('/e/tok-three/events', {method: 'POST'}).catch(() => 0)")
    assert len([path for _, path in steps(fake) if path.endswith("/events")]) == 2


def test_the_past_is_named_in_requests_of_the_episode_alone(bounds: EpisodeBounds) -> None:
    bounds.step, bounds.as_of = 4, 7
    assert bounds.build_headers(f"{bounds.root}search") == {"X-Gym-Step": "4", "X-Gym-As-Of": "7"}
    assert bounds.build_headers(f"{bounds.root}events") == {"X-Gym-As-Of": "7"}
    # The last report of the episode before comes late.
    assert bounds.build_headers(f"{bounds.origin}/e/another/events") == {}
    assert bounds.build_headers(f"{bounds.origin}/static/page.css") == {}
    bounds.as_of = None
    assert bounds.build_headers(f"{bounds.root}events") == {}
