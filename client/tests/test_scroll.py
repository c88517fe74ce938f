"""Without a part that is named the page scrolls, wherever the mouse is and whatever has the focus."""

from __future__ import annotations

from typing import Any

import pytest

from fake_server import FakeServer
from palaestra.actions import action_check, action_perform
from palaestra.pages.warm_page import WarmPage

LINES = "\n".join(f"line {number}" for number in range(60))
BOXES = f"""<!doctype html><html data-settled="true"><head><title>t</title><style>* {{ margin: 0 }}
#outer {{ height: 300px; overflow-y: auto }} #inner {{ height: 150px; overflow-y: auto }}
.tall {{ height: 900px }} #kept {{ height: 100px; overflow: auto; overscroll-behavior: contain }}</style>
</head><body><textarea id="area" rows=8 aria-label="Code">{LINES}</textarea><label>N
<input id="number" type="number" value="5"></label><div id="outer"><div id="inner">
<button id="deep">Deep</button><p class="tall"></p></div><p class="tall"></p></div>
<div id="kept"><button id="in-kept">Kept</button><p class="tall"></p></div>
<div style="height: 5000px"></div><button id="far">Far</button></body></html>"""
# The window shows one part that scrolls, as programs in a browser do.
FRAMED = """<!doctype html><html data-settled="true"><head><title>t</title><style>html, body { margin: 0;
height: 100%; overflow: hidden } nav { float: left; width: 200px; height: 100%; overflow: auto }
main { height: 100%; overflow: auto } p { height: 3000px }</style></head><body><nav id="nav"><p>a</p></nav>
<main id="main"><p>b</p></main></body></html>"""
PLACES = """({window: Math.round(scrollY), area: area.scrollTop, outer: outer.scrollTop,
inner: inner.scrollTop, kept: kept.scrollTop, number: number.value})"""
STILL = {"window": 0, "area": 0, "outer": 0, "inner": 0, "kept": 0, "number": "5"}


async def opened(page: WarmPage, fake: FakeServer, html: str = BOXES) -> dict[str, str]:
    """The ids of the page's elements, by their names."""
    fake.state.pages["x"] = html
    fake.state.episodes[1] = {"token": "tok-en", "events": []}
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    view = await page.observe(acted=False)
    assert view is not None
    lines = [line.strip(" -") for line in view.text.split("\n") if "[e" in line]
    return {line.split('"')[1]: line.split("]")[0].strip("[") for line in lines}


async def scrolled(page: WarmPage, **action: Any) -> dict[str, Any]:
    outcome = await action_perform(page, action_check({"type": "scroll", **action}))
    assert outcome.is_ok, outcome
    moved: dict[str, Any] = await page.page.evaluate(PLACES)
    return moved


@pytest.mark.parametrize("before", ["area", "number", "in-kept", "nothing"])
async def test_the_page_scrolls_after_a_click_in_a_box(before: str, page: WarmPage, fake: FakeServer) -> None:
    await opened(page, fake)
    if before != "nothing":
        await page.page.click(f"#{before}")
    assert await scrolled(page, dy=300) == {**STILL, "window": 300}
    assert await scrolled(page, dy=-300) == STILL


async def test_the_page_does_not_pass_a_scroll_on_at_its_end(page: WarmPage, fake: FakeServer) -> None:
    await opened(page, fake)
    await page.page.click("#area")
    assert await scrolled(page, dy=-300) == STILL


async def test_a_named_part_scrolls_and_at_its_end_what_is_around_it(
    page: WarmPage, fake: FakeServer
) -> None:
    ids = await opened(page, fake)
    assert await scrolled(page, dy=100, target=ids["Code"]) == {**STILL, "area": 100}
    moved = await scrolled(page, dy=5000, x=20, y=200)
    assert moved == {**STILL, "area": 100, "inner": moved["inner"]}
    assert moved["inner"] > 700
    assert await scrolled(page, dy=100, x=20, y=200) == {**moved, "outer": 100}
    assert (await scrolled(page, dy=200, target=ids["N"]))["number"] == "5"


async def test_a_part_that_keeps_scrolling_to_itself_passes_none_on(page: WarmPage, fake: FakeServer) -> None:
    ids = await opened(page, fake)
    end = await scrolled(page, dy=5000, target=ids["Kept"])
    assert end == {**STILL, "kept": end["kept"]}
    assert end["kept"] > 0
    again = await action_perform(page, action_check({"type": "scroll", "dy": 100, "x": 20, "y": 480}))
    assert again.is_ok
    assert await page.page.evaluate(PLACES) == end


async def test_an_element_far_below_comes_into_view_before_its_part_scrolls(
    page: WarmPage, fake: FakeServer
) -> None:
    ids = await opened(page, fake)
    moved = await scrolled(page, dy=-50, target=ids["Far"])
    assert moved["window"] > 3000
    assert {**moved, "window": 0} == STILL


@pytest.mark.parametrize(("by", "part"), [({"dy": 400}, "main"), ({"dy": 400, "x": 50, "y": 50}, "nav")])
async def test_where_the_window_cannot_move_its_largest_part_does(
    by: dict[str, int], part: str, page: WarmPage, fake: FakeServer
) -> None:
    await opened(page, fake, FRAMED)
    assert (await action_perform(page, action_check({"type": "scroll", **by}))).is_ok
    other = {"main": "nav", "nav": "main"}[part]
    places = f"[{part}.scrollTop, {other}.scrollTop, scrollY]"
    assert await page.page.evaluate(places) == [400, 0, 0]


async def test_scrolling_turns_no_wheel_and_moves_no_mouse(page: WarmPage, fake: FakeServer) -> None:
    ids = await opened(page, fake)
    await page.page.evaluate("""window.heard = []; for (const kind of ["wheel", "mousemove", "scroll"])
        addEventListener(kind, () => heard.push(kind), true)""")
    await scrolled(page, dy=100)
    await scrolled(page, dy=100, target=ids["Code"])
    assert set(await page.page.evaluate("heard")) == {"scroll"}


async def test_the_page_has_heard_of_a_scroll_when_the_action_is_over(
    page: WarmPage, fake: FakeServer
) -> None:
    await opened(page, fake)
    await page.page.evaluate("addEventListener('scroll', () => { document.title = 'heard' })")
    await scrolled(page, dy=100)
    assert await page.page.title() == "heard"
