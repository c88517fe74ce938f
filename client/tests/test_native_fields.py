"""Fields for dates, times, colours, ranges and numbers hold what is typed, or the action objects."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from fake_server import FakeServer
from palaestra.actions import Outcome, action_check, action_perform
from palaestra.pages.lite import LitePool
from palaestra.pages.pool import PagePool
from palaestra.pages.surface import Surface

FIELDS = """<!doctype html><html data-settled="true"><head><title>t</title></head><body><form>
<label>date <input type="date"></label><label>month <input type="month"></label>
<label>week <input type="week"></label><label>time <input type="time"></label>
<label>datetime-local <input type="datetime-local"></label><label>color <input type="color"></label>
<label>range <input type="range"></label>
<label>steps <input type="range" min="-10" max="10" step="5"></label>
<label>free <input type="range" min="0" max="1" step="any"></label>
<label>number <input type="number" value="5"></label></form></body></html>"""
# What is typed into a field, and what it holds then; None where it stays as it was.
ENTRIES = [
    ("date", "2026-12-05", "2026-12-05"),
    ("date", " 2024-02-29 ", "2024-02-29"),
    ("date", "2026-02-29", None),
    ("date", "2026-13-01", None),
    ("date", "05.12.2026", None),
    ("date", "12/05/2026", None),
    ("date", "December 5", None),
    ("date", "2026-12-05T10:00", None),
    ("month", "2026-12", "2026-12"),
    ("month", "2026-13", None),
    ("month", "2026-12-05", None),
    ("month", "December 2026", None),
    ("week", "2026-W49", "2026-W49"),
    ("week", "2026-w09", "2026-W09"),
    ("week", "2026-W53", "2026-W53"),
    ("week", "2025-W53", None),
    ("week", "49", None),
    ("time", "09:30", "09:30"),
    ("time", "23:59:59", "23:59:59"),
    ("time", "24:00", None),
    ("time", "9:30 am", None),
    ("datetime-local", "2026-12-05T09:30", "2026-12-05T09:30"),
    ("datetime-local", "2026-12-05 09:30", "2026-12-05T09:30"),
    ("datetime-local", "2026-12-05", None),
    ("color", "#ff8000", "#ff8000"),
    ("color", "#FF8000", "#ff8000"),
    ("color", "#f80", "#ff8800"),
    ("color", "orange", None),
    ("color", "#ff80", None),
    ("range", "75", "75"),
    ("range", "0", "0"),
    ("range", "75.0", "75"),
    ("range", "150", None),
    ("range", "-1", None),
    ("range", "7.5", None),
    ("range", "high", None),
    ("steps", "-5", "-5"),
    ("steps", "3", None),
    ("free", "0.33", "0.33"),
    ("number", "12.5", "12.5"),
    ("number", "-3", "-3"),
]
BEFORE = {"color": "#000000", "range": "50", "steps": "0", "free": "0.5", "number": "5"}


@pytest_asyncio.fixture(params=["chromium", "lite"])
async def form(request: pytest.FixtureRequest, pool: PagePool, fake: FakeServer) -> AsyncIterator[Surface]:
    fake.state.pages["x"] = FIELDS
    fake.state.episodes[1] = {"token": "tok-en", "events": []}
    pages = pool if request.param == "chromium" else LitePool(size=1)
    page = await pages.acquire()
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    await lines_of(page)
    yield page
    await pages.release(page)
    if pages is not pool:
        await pages.aclose()


async def lines_of(page: Surface) -> dict[str, str]:
    """The lines of the fields, by their labels."""
    view = await page.observe(acted=False)
    assert view is not None
    return {line.split('"')[1]: line for line in view.text.split("\n") if line.count('"') >= 4}


async def held(page: Surface, name: str) -> str:
    return (await lines_of(page))[name].split('value="')[1].split('"')[0]


async def entered(page: Surface, name: str, text: str, way: str) -> Outcome:
    target = (await lines_of(page))[name].split("]")[0].strip(" -[")
    whole = {"target": target, "text": text}
    action = {
        "fill": {"type": "fill", "fields": [whole]},
        "type": {"type": "type", "clear": True, **whole},
        "the focus": {"type": "type", "text": text, "clear": True},
    }[way]
    if way == "the focus":
        await action_perform(page, action_check({"type": "press", "target": target, "key": "Shift"}))
        assert (await page.call("reach", {"id": target})).get("problem") is None
    return await action_perform(page, action_check(action))


@pytest.mark.parametrize("way", ["fill", "type", "the focus"])
async def test_a_field_holds_what_is_typed_or_the_action_says_that_it_does_not(
    form: Surface, way: str
) -> None:
    for name, text, value in ENTRIES:
        before = await held(form, name)
        outcome = await entered(form, name, text, way)
        shown = f"{name} {text!r}: {outcome}"
        assert outcome.result == ("ok" if value is not None else "refused"), shown
        assert await held(form, name) == (before if value is None else value), shown
        assert value is not None or "it takes a" in outcome.message, shown


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("date", "a date, written 2026-12-05"),
        ("range", "a number from 0 to 100"),
        ("steps", "a number from -10 to 10 in steps of 5"),
        ("free", "a number from 0 to 1"),
    ],
)
async def test_a_refusal_says_what_the_field_takes(form: Surface, name: str, words: str) -> None:
    outcome = await entered(form, name, "nothing of the kind", "type")
    assert f"it takes {words}; it was left as it is." in outcome.message


async def test_a_date_can_be_taken_away_again_and_a_colour_cannot(form: Surface) -> None:
    await entered(form, "date", "2026-12-05", "type")
    assert (await entered(form, "date", "", "type")).is_ok
    assert await held(form, "date") == ""
    assert (await entered(form, "color", "", "type")).result == "refused"
    assert await held(form, "color") == "#000000"


# The types, attributes and values of fields as their pages send them.
SENT = [
    ('type="color"', "#000000"),
    ('type="color" value="#FF0000"', "#ff0000"),
    ('type="range"', "50"),
    ('type="range" value="7"', "7"),
    ('type="range" value="700"', "100"),
    ('type="range" value="-7"', "0"),
    ('type="range" min="0" max="11" step="5" value="11"', "10"),
    ('type="range" min="10" max="5"', "10"),
    ('type="range" min="1" max="4"', "3"),
    ('type="range" min="0" max="1" step="any"', "0.5"),
    ('type="date" value="2026-12-05"', "2026-12-05"),
    ('type="date" value="5.12.2026"', ""),
    ('type="month" value="2026-13"', ""),
    ('type="time" value="09:30"', "09:30"),
]


@pytest.mark.parametrize("browser", ["chromium", "lite"])
async def test_a_field_begins_with_what_its_page_says_if_that_is_a_value(
    browser: str, pool: PagePool, fake: FakeServer
) -> None:
    rows = "".join(f"<label>f{n} <input {field}></label>" for n, (field, _) in enumerate(SENT))
    fake.state.pages["x"] = f'<!doctype html><html data-settled="true"><title>t</title>{rows}</html>'
    fake.state.episodes[1] = {"token": "tok-en", "events": []}
    pages = pool if browser == "chromium" else LitePool(size=1)
    page = await pages.acquire()
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    values = [await held(page, f"f{number}") for number in range(len(SENT))]
    await pages.release(page)
    if pages is not pool:
        await pages.aclose()
    assert values == [value for _, value in SENT]


async def test_letters_in_a_field_for_numbers_are_reported(form: Surface) -> None:
    nothing = await entered(form, "number", "xyz", "type")
    assert (nothing.result, await held(form, "number")) == ("refused", "")
    part = await entered(form, "number", "12 km", "type")
    assert (part.result, await held(form, "number")) == ("ok", "12")
    assert 'it holds "12" now' in part.message


async def test_a_page_hears_of_a_value_that_no_keys_wrote(pool: PagePool, fake: FakeServer) -> None:
    fake.state.pages["x"] = FIELDS
    fake.state.episodes[1] = {"token": "tok-en", "events": []}
    page = await pool.acquire()
    await page.begin(f"{fake.arena_url}/e/tok-en/x")
    await page.page.evaluate("""window.heard = []; for (const kind of ["input", "change"])
        document.addEventListener(kind, (event) => heard.push([kind, event.target.value]))""")
    await entered(page, "date", "2026-12-05", "fill")
    assert await page.page.evaluate("heard") == [["input", "2026-12-05"], ["change", "2026-12-05"]]
    await pool.release(page)


async def test_enter_after_a_date_is_a_key(form: Surface) -> None:
    outcome = await entered(form, "date", "2026-12-05\t", "type")
    assert outcome.is_ok
    assert await held(form, "date") == "2026-12-05"
