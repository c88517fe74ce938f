"""A picture and what is said of it are of one moment, of a page that is complete."""

from __future__ import annotations

import io
import json
import time

import pytest
from PIL import Image

from fake_server import FakeServer
from palaestra import Client, Env
from palaestra.engine import Engine
from palaestra.errors import PageUnsettled
from palaestra.observation import ObservationConfig, Observer, get_format
from palaestra.observation.shot import Shot, shot_take
from palaestra.pages.pace import FIRST_PAGE, LATER_PAGE, PAGES_REMEMBERED, Limit, Pace
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import PageView
from palaestra.pages.warm_page import WarmPage
from palaestra.policies import Solver
from palaestra.protocol.outline import STILL_LOADING

HEAD = """<!doctype html><html data-settled="true"><head><title>t</title><style>
* { margin: 0 } body { height: 6000px } button { position: absolute; left: 100px; top: 1800px; width: 200px;
height: 40px; border: 0; background: red; color: transparent }</style></head><body>{body}</body></html>"""
# What moves a page while somebody looks at it, each for a second or less.
MOVEMENTS = {
    "a smooth scroll": "document.documentElement.style.scrollBehavior = 'smooth'; scrollTo(0, 1600)",
    "an option of a scroll": "scrollTo({top: 1600, behavior: 'smooth'})",
    "a scroll by a script": """const began = performance.now(); const move = () => {
        const part = Math.min((performance.now() - began) / 700, 1); scrollTo(0, 1600 * part);
        if (part < 1) requestAnimationFrame(move) }; move()""",
    "a shift by a script": """scrollTo(0, 1600); let far = 0; const shift = setInterval(() => {
        far += 10; go.style.top = 1800 + far + 'px'; if (far > 400) clearInterval(shift) }, 16)""",
    "a transition": """scrollTo(0, 1600); go.style.transition = 'top 0.7s linear'; void go.offsetHeight;
        go.style.top = '2100px'""",
    "an animation": """scrollTo(0, 1600); go.animate([{transform: 'translate(0, 0)'},
        {transform: 'translate(300px, 200px)'}], {duration: 700, fill: 'forwards'})""",
    "a part that grows": """scrollTo(0, 1600); go.style.position = 'static'; go.style.marginTop = '1800px';
        const late = document.createElement('p'); document.body.prepend(late); let high = 0;
        const grow = setInterval(() => { late.style.height = (high += 8) + 'px';
        if (high > 240) clearInterval(grow) }, 20)""",
}


def doc(body: str) -> str:
    return HEAD.replace("{body}", body)


async def opened(page: WarmPage, fake: FakeServer, html: str) -> PageView:
    fake.state.pages["x"] = html
    fake.state.episodes[1] = {"token": "tok-en", "events": []}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    view = await page.observe(acted=False)
    assert view is not None
    return view


def red_box(shot: Shot) -> tuple[int, ...]:
    """Left, top, width and height of what is red in a picture."""
    image = Image.open(io.BytesIO(shot.pixels)).convert("RGB")
    left, top, right, bottom = image.point(lambda value: 255 * (value > 200)).split()[0].getbbox() or (0,) * 4
    red = image.crop((left, top, right, bottom))
    white = Image.eval(red.split()[1], lambda value: 255 - value).getbbox()
    assert white is not None
    return (left + white[0], top + white[1], white[2] - white[0], white[3] - white[1])


@pytest.mark.parametrize("movement", MOVEMENTS)
async def test_marks_are_where_the_picture_shows_their_elements(
    movement: str, page: WarmPage, fake: FakeServer
) -> None:
    await opened(page, fake, doc('<button id="go">Go</button>'))
    await page.page.evaluate(MOVEMENTS[movement])
    view = await page.observe(acted=False)
    assert view is not None
    shot = await shot_take(page, view, with_marks=True, with_text=True)

    assert shot.is_still
    (mark,) = shot.seen["marks"]
    assert tuple(map(round, mark["box"])) == red_box(shot)
    assert shot.seen["above"] == await page.page.evaluate("Math.round(scrollY)")


async def test_an_outline_is_of_the_same_moment_as_its_picture(page: WarmPage, fake: FakeServer) -> None:
    await opened(page, fake, doc("<p id='count'>0</p>"))
    await page.page.evaluate("""let n = 0; const tick = setInterval(() => {
        count.textContent = ++n; if (n === 40) clearInterval(tick) }, 15)""")
    view = await page.observe(acted=False)
    assert view is not None
    observation = await Observer(ObservationConfig(form=get_format("both"))).observe(page, view)
    assert "text: 40" in observation.text
    assert observation.is_settled


@pytest.mark.parametrize("kind", ["screenshot", "som", "both"])
async def test_a_page_that_never_stands_still_is_taken_as_it_is_and_recorded_so(
    kind: str, page: WarmPage, fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.observation.shot.STILL_LIMIT_S", 0.3)
    view = await opened(page, fake, doc('<button id="go">Go</button>'))
    await page.page.evaluate("let n = 0; setInterval(() => { go.style.left = (++n % 200) + 'px' }, 5)")
    observation = await Observer(ObservationConfig(form=get_format(kind))).observe(page, view)
    assert not observation.is_settled
    assert observation.text.endswith(STILL_LOADING)
    assert observation.screenshot


async def test_what_a_look_itself_does_moves_nothing(page: WarmPage, fake: FakeServer) -> None:
    view = await opened(page, fake, doc('<button id="go">Go</button><input value="1"><svg></svg>'))
    page.turn(3)
    shot = await shot_take(page, view, with_marks=True, with_text=True)
    assert shot.is_still
    assert shot.view is view


@pytest.mark.parametrize("change", ["field.value = 'other'", "box.checked = true", "area.scrollTop = 50"])
async def test_what_a_field_holds_belongs_to_the_moment(
    change: str, page: WarmPage, fake: FakeServer
) -> None:
    lines = "\n".join(map(str, range(60)))
    fields = f'<input id="field"><input type="checkbox" id="box"><textarea id="area">{lines}</textarea>'
    view = await opened(page, fake, doc(fields))
    await page.page.evaluate(change)
    again = await page.observe(acted=False)
    assert again is not None
    assert again.moment != view.moment


async def test_fonts_and_pictures_that_an_action_brings_are_waited_for(
    page: WarmPage, fake: FakeServer
) -> None:
    fake.state.pages["late.woff2"], fake.state.pages["late.png"] = "", ""
    fake.state.delays = {"late.woff2": 0.6, "late.png": 0.9}
    style = (
        "<style>@font-face { font-family: late; src: url(late.woff2) } .late { font-family: late }</style>"
    )
    await opened(page, fake, doc(style + "<p id='p'>Words</p>"))
    for change in ("p.className = 'late'", "p.innerHTML = '<img width=9 height=9 src=late.png>'"):
        await page.page.evaluate(change)
        view = await page.observe(acted=False)
        assert view is not None
        assert view.is_settled
        drawn = "document.fonts.status === 'loaded' && [...document.images].every((one) => one.complete)"
        assert await page.page.evaluate(drawn)


async def test_a_picture_far_below_is_not_waited_for(page: WarmPage, fake: FakeServer) -> None:
    fake.state.pages["late.png"], fake.state.delays = "", {"late.png": 3.0}
    began = time.monotonic()
    far = '<img loading="lazy" style="position: absolute; top: 5500px" width=9 height=9 src="late.png">'
    view = await opened(page, fake, doc(far))
    assert view.is_settled
    assert time.monotonic() - began < 3.0


LOADING = '<!doctype html><html data-settled="false"><title>t</title><h1>Question</h1></html>'


async def test_a_first_page_that_never_settles_is_void_and_was_opened_twice(
    fake: FakeServer, pool: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.FIRST_PAGE", Limit(0.3, 0.3))
    fake.state.pages[""] = LOADING
    async with Env(fake.lab_url, "key", run=7, pool=pool) as env:
        with pytest.raises(PageUnsettled):
            await env.reset(1)
    assert fake.state.episodes[1]["closed"]["reason"] == "page_unsettled"
    assert fake.state.episodes[1]["steps"] == {}
    assert len([path for _, path, _ in fake.state.requests if path.endswith("/")]) == 2


async def test_an_engine_ends_such_an_episode_alike_and_plays_the_others(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.FIRST_PAGE", Limit(0.3, 0.3))
    fake.state.pages[""] = LOADING
    async with Client(fake.lab_url, "key") as client, Engine(client, pages=1) as engine:
        (done,) = await engine.rollout(run=7, tasks=[1], policy=Solver({}))
        fake.state.pages.clear()
        (sound,) = await engine.rollout(run=7, tasks=[1], policy=Solver({}))
    assert fake.state.episodes[1]["closed"]["reason"] == "page_unsettled"
    assert done.problem.startswith("PageUnsettled")
    assert sound.problem == ""


async def test_a_first_page_that_settles_when_it_is_opened_again_is_played(
    fake: FakeServer, pool: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.FIRST_PAGE", Limit(0.5, 0.5))
    fake.state.pages[""] = LOADING
    renew = pool.renew

    async def renew_and_mend(page: WarmPage) -> WarmPage:
        fake.state.pages.clear()
        return await renew(page)

    monkeypatch.setattr(pool, "renew", renew_and_mend)
    async with Env(fake.lab_url, "key", run=7, pool=pool) as env:
        observation = await env.reset(1)
        assert observation.is_settled
        assert "Question" in observation.text


async def test_a_page_that_never_settles_after_an_action_is_shown_recorded_and_judged(
    fake: FakeServer, pool: PagePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaestra.pages.warm_page.LATER_PAGE", Limit(0.3, 0.3))
    fake.state.pages["loading"] = LOADING
    async with Env(fake.lab_url, "key", run=7, pool=pool) as env:
        await env.reset(1)
        observation, *_ = await env.step('Action: {"type": "goto", "url": "loading"}')
        assert not observation.is_settled
        await env.step('Action: {"type": "noop"}')
        *_, info = await env.stop()
    steps = fake.state.episodes[1]["steps"]
    assert [json.loads(json.dumps(steps[index]))["settled"] for index in (1, 2)] == [True, False]
    assert info["verdict"] is not None
    assert info["verdict"].outcome == "incorrect"


def test_a_page_may_take_many_times_the_usual_within_bounds() -> None:
    pace = Pace()
    assert (pace.limit_s(FIRST_PAGE), pace.limit_s(LATER_PAGE)) == (60.0, 15.0)
    for taken, first, later in ((0.1, 20.0, 5.0), (1.2, 20.0, 12.0), (3.0, 30.0, 15.0), (20.0, 60.0, 15.0)):
        for _ in range(PAGES_REMEMBERED):
            pace.note(taken)
        assert (pace.limit_s(FIRST_PAGE), pace.limit_s(LATER_PAGE)) == (first, later)


async def test_first_pages_alone_set_the_pace(page: WarmPage, fake: FakeServer) -> None:
    before = len(page._pace._taken)
    await opened(page, fake, doc("<p>1</p>"))
    await page.observe(acted=False)
    await page.observe(acted=True)
    assert len(page._pace._taken) == min(before + 1, PAGES_REMEMBERED)
