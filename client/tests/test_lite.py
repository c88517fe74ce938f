from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra import Env, PalaestraError, RemoteEnv
from palaestra.actions import Outcome, action_check, action_perform
from palaestra.observation import page_text
from palaestra.pages.lite import LitePage, LitePool
from palaestra.pages.lite.document import Document
from palaestra.pages.lite.outline import Outline
from palaestra.pages.lite.styles import Styles
from stages import LITE_RUN, TOKEN, stage_serve
from test_env import target

PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
GOLDEN = Path(__file__).parent / "golden"
WITHOUT_PLAYWRIGHT = """
import sys
sys.modules["playwright"] = None
import palaestra.pages.lite
palaestra.Env("http://127.0.0.1:1", "key", run=1, browser="lite")
"""


BASES = [
    "http://h:1/e/T/",
    "http://h:1/e/T/stays/L-1?x=1/y#z",
    "http://h/e/T/a/b/c?d=/../e",
    "https://h",
    "http://h/a//b/c",
    "http://h/a/../b/c",
    "http://h/e%20/x;p/y",
    "about:blank",
]
ADDRESSES = [
    *(
        "",
        "?a",
        "#b",
        "x",
        "x/",
        "x/y?q=1&r=../z#k",
        "../x",
        "../../x",
        "../../../../../x",
        "..",
        "./x",
        "/x",
    ),
    *("/x", "//k/x", "http://k/x", "x?", "x#", "x?#a", "x;y", "x:y", "a b", "x?a b", "x\ty", "../x/../y"),
    *("x//y", "mailto:a", "x?a#b#c", "\u00e9", "x?\u00e9"),
]


@pytest.mark.parametrize("base", BASES)
def test_an_address_leads_where_urljoin_says(base: str) -> None:
    document = Document("<p>words", base)
    assert {one: document.resolve(one) for one in ADDRESSES} == {one: urljoin(base, one) for one in ADDRESSES}


@pytest_asyncio.fixture
async def lite(fake: FakeServer) -> AsyncIterator[LitePage]:
    pool = LitePool(size=1)
    yield await pool.acquire()
    await pool.aclose()


@pytest_asyncio.fixture(params=["here", "on a stage"])
async def env(request: pytest.FixtureRequest, fake: FakeServer) -> AsyncIterator[Env | RemoteEnv]:
    fake.state.runs.append(LITE_RUN)
    if request.param == "here":
        async with Env(fake.lab_url, "key", run=7, browser="lite") as made:
            yield made
        return
    async with (
        stage_serve(fake, pages=0) as (_, address),
        RemoteEnv(address, TOKEN, run=7, browser="lite") as remote,
    ):
        yield remote


async def shown(page: LitePage) -> str:
    view = await page.observe(acted=True)
    assert view is not None
    assert page.bounds is not None
    return page_text(view, page.bounds)


async def opened(page: LitePage, fake: FakeServer, body: str, *, head: str = "") -> str:
    html = body if "<!doctype" in body else f"<!doctype html><title>t</title>{head}<body>{body}"
    fake.state.pages["x"] = html
    fake.state.episodes[1] = {"token": "tok-en"}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    return await shown(page)


async def acted(page: LitePage, **action: object) -> Outcome:
    return await action_perform(page, action_check(action))


def test_neither_the_client_nor_its_pages_without_a_browser_need_playwright() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_PLAYWRIGHT], check=True, timeout=60)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
async def test_a_page_has_the_outline_that_it_has_in_a_browser(
    path: Path, lite: LitePage, fake: FakeServer
) -> None:
    text = await opened(lite, fake, path.read_text("utf-8"))
    assert text + "\n" == (GOLDEN / f"{path.stem}.txt").read_text("utf-8")


async def test_an_episode_is_solved_step_by_step(env: Env, fake: FakeServer) -> None:
    obs = await env.reset(3)
    box, button = target(obs.text, "textbox"), target(obs.text, "button")
    obs, *_ = await env.step(f'Action: {{"type": "type", "target": "{box}", "text": "42"}}')
    assert 'value="42"' in obs.text
    obs, reward, terminated, _, info = await env.step(f'Action: {{"type": "click", "target": "{button}"}}')
    assert (reward, terminated, info["reason"]) == (1.0, True, "answer")
    assert ("POST", f"/e/{fake.state.episodes[1]['token']}/submit", "2") in fake.state.requests


async def test_the_model_never_sees_the_token_and_never_leaves_its_episode(
    env: Env, fake: FakeServer
) -> None:
    token = "tok" + "0" * 28 + "1"
    fake.state.extra = (
        f'<p>Your address is {fake.arena_url}/e/{token}/x.</p><a href="http://127.0.0.1:1/">Out</a>'
    )
    obs = await env.reset(1)
    assert token not in str(obs.messages)
    *_, info = await env.step(f'Action: {{"type": "click", "target": "{target(obs.text, "link")}"}}')
    assert info["action_result"] == "refused"


async def test_a_run_must_say_that_its_pages_are_read_without_a_browser(fake: FakeServer) -> None:
    async with Env(fake.lab_url, "key", run=7, browser="lite") as unmarked:
        with pytest.raises(PalaestraError, match="does not say"):
            await unmarked.reset(1)


@pytest.mark.parametrize("wrong", [{"observation": "som"}, {"with_pictures": True}, {"scope": "viewport"}])
def test_what_needs_a_layout_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PalaestraError, match="without a browser"):
        Env("http://127.0.0.1:1", "key", run=7, browser="lite", **wrong)


FORM = """<form action="y"><input name="q" value="a"><input type="checkbox" name="c" checked>
<input type="radio" name="r" value="1" aria-label="One"><input type="radio" name="r" value="2" checked>
<select name="s" aria-label="List"><option>x</option><option value="w">y</option></select>
<input name="off" value="v" disabled><button name="b" value="1">Go</button><button>Other</button></form>"""


async def test_a_form_sends_what_it_holds_and_the_button_pressed(lite: LitePage, fake: FakeServer) -> None:
    text = await opened(lite, fake, FORM)
    await acted(lite, type="click", target=target(text, 'radio "One"'))
    await acted(lite, type="select", target=target(text, "combobox"), value="y")
    await acted(lite, type="type", target=target(text, "textbox"), text="b c")
    await acted(lite, type="click", target=target(text, 'button "Go"'))
    fake.state.pages["y"] = "<!doctype html><title>y</title>"
    await shown(lite)
    assert lite.page.url.endswith("/y?q=ab+c&c=on&r=1&s=w&b=1")
    await acted(lite, type="back")
    assert '[e3] radio "One" unchecked' in await shown(lite)


async def test_enter_presses_the_first_button_of_a_form(lite: LitePage, fake: FakeServer) -> None:
    text = await opened(lite, fake, FORM)
    fake.state.pages["y"] = "<!doctype html><title>y</title>"
    await acted(lite, type="type", target=target(text, "textbox"), text="\n")
    await shown(lite)
    assert "b=1" in lite.page.url


async def test_a_required_field_holds_its_form_back(lite: LitePage, fake: FakeServer) -> None:
    text = await opened(lite, fake, '<form action="y"><input name="q" required><button>Go</button></form>')
    await acted(lite, type="click", target=target(text, "button"))
    assert "required focused" in await shown(lite)


LAYERS = """<details><summary>More</summary><p>inside</p></details>
<button popovertarget="layer">Open</button><dialog id="layer" popover aria-label="Layer">
<button popovertarget="layer" popovertargetaction="hide">Close</button></dialog>
<dialog open aria-label="News"><form method="dialog"><button>Enough</button></form></dialog>"""


async def test_what_opens_and_closes_without_scripts_does(lite: LitePage, fake: FakeServer) -> None:
    text = await opened(lite, fake, LAYERS)
    assert "inside" not in text
    for button in ("summary", 'button "Enough"', 'button "Open"'):
        await acted(lite, type="click", target=target(text, button))
    text = await shown(lite)
    assert "text: inside" in text
    assert 'dialog "News"' not in text
    assert 'dialog "Layer"' in text
    await acted(lite, type="click", target=target(text, 'button "Close"'))
    assert 'dialog "Layer"' not in await shown(lite)


IN_PLACE = """<form aria-label="F"><label>Name <input name="n"></label>
<ul><li><input aria-label="In an item"> words</li></ul>
<table><tr><td><input type="checkbox" aria-label="In a cell"></td><td>words</td></tr></table>
<fieldset><legend>R</legend><input type="radio" name="r" aria-label="One">
<input type="radio" name="r" aria-label="Two" checked>
</fieldset><select aria-label="S"><option>x</option><option>y</option></select></form>
<details><summary>More</summary><textarea aria-label="T"></textarea></details>"""
ACTS = (
    {"type": "type", "target": 'textbox "Name"', "text": "a"},
    {"type": "type", "target": 'textbox "In an item"', "text": "b"},
    {"type": "click", "target": 'checkbox "In a cell"'},
    {"type": "click", "target": 'radio "One"'},
    {"type": "select", "target": "combobox", "value": "y"},
    {"type": "click", "target": "summary"},
    {"type": "type", "target": 'textbox "T"', "text": "c"},
    {"type": "press", "key": "Backspace"},
    {"type": "click", "target": "summary"},
)


async def test_after_every_act_the_outline_is_the_one_that_a_fresh_look_gives(
    lite: LitePage, fake: FakeServer
) -> None:
    text, seen = await opened(lite, fake, IN_PLACE), set()
    for act in ACTS:
        aim = {"target": target(text, act["target"])} if "target" in act else {}
        await acted(lite, **{**act, **aim})
        text = await shown(lite)
        fresh = Outline(lite.interactions.names, lite.interactions.ids).render()
        assert text.endswith(fresh)
        seen.add(text)
    assert len(seen) == len(ACTS)


MISTAKES = {
    "there is no such element on the page, which has e1, e2": {"type": "click", "target": "e9"},
    'choose with "select"': {"type": "click", "target": "e2"},
    "takes no text": {"type": "type", "target": "e1", "text": "x"},
    "it has no such option": {"type": "select", "target": "e2", "value": "z"},
    "it has no positions": {"type": "click", "x": 1, "y": 1},
}


@pytest.mark.parametrize("message", MISTAKES)
async def test_mistakes_have_the_messages_of_a_browser(
    message: str, lite: LitePage, fake: FakeServer
) -> None:
    await opened(lite, fake, '<button>B</button><select aria-label="S"><option>x</option></select>')
    outcome = await acted(lite, **MISTAKES[message])
    assert not outcome.is_ok
    assert message in outcome.message


async def test_a_page_that_reloads_itself_is_followed(lite: LitePage, fake: FakeServer) -> None:
    fake.state.pages["done"] = "<!doctype html><title>done</title><p>It ran.</p>"
    head = '<noscript><meta http-equiv="refresh" content="0;url=done"></noscript>'
    assert "It ran." in await opened(lite, fake, "<p>Wait.</p>", head=head)


@pytest.mark.parametrize(
    ("sheet", "is_shown"),
    [
        (".a { display: none }", False),
        (".a { display: none } p.a { display: block }", True),
        ("#i { display: none } .a { display: block }", False),
        ("main > .a { display: none }", False),
        (".b > .a { display: none }", True),
        ("p:not(.c) { visibility: hidden }", False),
        ("@media (max-width: 40rem) { .a { display: none } }", True),
        ("@media (min-width: 40rem) { .a { display: none } }", False),
        ("@media (scripting: enabled) { .a { display: none } }", True),
        ("@container (max-width: 40rem) { .a { display: none } }", True),
        (".a:hover { display: none }", True),
        (".a::before { display: none }", True),
        (".a { display: none !important } p.a { display: block }", False),
    ],
)
async def test_style_sheets_decide_what_is_shown(
    sheet: str, is_shown: bool, lite: LitePage, fake: FakeServer
) -> None:
    body = '<main><p class="a" id="i">words</p></main>'
    assert ("words" in await opened(lite, fake, body, head=f"<style>{sheet}</style>")) is is_shown


async def test_a_page_that_is_left_is_freed_at_once(lite: LitePage, fake: FakeServer) -> None:
    text = await opened(lite, fake, '<ul><li><a href="x">Same</a></ul><p hidden>Words</p><input autofocus>')
    await acted(lite, type="type", target=target(text, "textbox"), text="words")
    gc.collect()
    gc.disable()
    try:
        left = weakref.ref(lite.interactions.document)
        await acted(lite, type="click", target=target(text, "link"))
        assert "Same" in await shown(lite)
        assert left() is None
    finally:
        gc.enable()


def test_a_style_sheet_that_is_cut_off_is_read_to_its_end() -> None:
    assert Styles(["p { display: none; } a { display:"])
