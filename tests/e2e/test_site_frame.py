"""The frame of every mock site, in a real browser: its clock, the task bar, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from core.episodes.presentation import AXES
from tasks_app.starters import starter_drafts
from tests import factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from trajectories.models import Episode, PageEvent, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
SAMPLE = starter_drafts("stays")[0]
NOW = datetime(2028, 2, 29, 9, 0, 30, tzinfo=UTC)
CLOCK = """() => [
  Date.now(), new Date().getTime(), new Date(0).getTime(), Date.UTC(2020, 0, 1), new Date() instanceof Date,
  new (new Date().constructor)().getTime(), new Intl.DateTimeFormat("en", {year: "numeric"}).format(),
  new Date().toISOString(), new Date(0).toLocaleDateString("en", {timeZone: "UTC"})
]"""
# How a browser formats moments in its own zone and locale; nothing here depends on the current time.
LOCAL = """() => {
  const moment = 1835427630123;
  const said = (day) => [
    day.getTime(), day.getFullYear(), day.getMonth(), day.getDate(), day.getDay(), day.getHours(),
    day.getMinutes(), day.getSeconds(), day.getMilliseconds(), day.getTimezoneOffset(),
    String(day), day.toDateString(), day.toTimeString(),
    day.toLocaleString(), day.toLocaleDateString(), day.toLocaleTimeString([], {hour: "2-digit"}),
    new Intl.DateTimeFormat().format(day), Intl.DateTimeFormat(undefined, {timeStyle: "long"}).format(day)
  ];
  const changed = (name, ...given) => said(new Date(new Date(moment)[name](...given)));
  const texts = [
    "2028-02-29", "2028-02-29T09:30", "2028-03-26T02:30:00", "2028-02-29T09:30:00+05:00",
    "2028-02-29T09:30:00Z", "2028-02-29 23:59", "Feb 29 2028 09:30", "Tue, 29 Feb 2028 09:30:00 GMT", "no day"
  ];
  const moments = [
    0, 951782399999, moment, 1837386000000, 1837389600000, 1856480400000, 1856484000000, 2150668800000
  ];
  const shown = [
    [2028, 1, 29], [2028, 1, 30, 9, 30], [2027, 1, 29], [2028, 2, 26, 2, 30], [2028, 2, 12, 2, 30],
    [2028, 9, 29, 2, 30], [2028, 10, 5, 1, 30], [2028, 3, 2, 2, 30], [2028, 8, 24, 2, 30],
    [2027, 11, 31, 23, 59, 59, 999], [2028, 12, 1], [99, 0]
  ];
  const options = new Intl.DateTimeFormat().resolvedOptions();
  return [
    ...moments.map((time) => said(new Date(time))),
    ...shown.map((parts) => said(new Date(...parts))),
    ...texts.map((text) => [new Date(text).getTime(), Date.parse(text), String(new Date(text))]),
    changed("setFullYear", 2028, 2, 26), changed("setMonth", 9), changed("setDate", 31),
    changed("setHours", 23, 59), changed("setMinutes", -1), changed("setSeconds", 61),
    changed("setMilliseconds", 1000), said(new Date(new Date(moment))),
    [options.timeZone, options.locale, new Intl.NumberFormat().resolvedOptions().locale],
    [(1234.5).toLocaleString(), String(new Date(NaN).getDate()), String(new Date(NaN).getTimezoneOffset())]
  ].map((row) => row.map(String));
}"""


def episode_make(**fields: Any) -> Episode:
    task = factories.task(kind=SAMPLE.kind, payload=dict(SAMPLE.payload), prompt=SAMPLE.prompt)
    return factories.episode(task=task, virtual_start=datetime(2028, 2, 29, 9, tzinfo=UTC), **fields)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland"])
def test_scripts_read_the_clock_of_the_episode(
    zone: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(timezone_id=zone)
    page.goto(arena_server.address(episode_make()))
    settled(page)

    now, made, zero, utc, is_date, again, formatted, iso, first = page.evaluate(CLOCK)

    minute = 60_000
    begin = NOW.timestamp() * 1000
    assert [begin <= one < begin + 10 * minute for one in (now, made, again)] == [True] * 3
    assert (zero, utc, is_date) == (0, 1_577_836_800_000, True)
    assert formatted == "2028"
    assert iso.startswith("2028-02-29T09:0")
    assert first == "1/1/1970"


@pytest.mark.parametrize(
    ("zone", "locale", "other_zone"),
    [
        ("UTC", "en-GB", "Pacific/Auckland"),
        ("Europe/Berlin", "en-US", "America/New_York"),
        ("America/New_York", "en-US", "Pacific/Auckland"),
        ("Pacific/Auckland", "en-GB", "America/New_York"),
    ],
)
def test_scripts_read_the_zone_and_locale_of_the_episode_and_not_of_the_browser(
    zone: str, locale: str, other_zone: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    at_home = open_page(timezone_id=zone, locale=locale).evaluate(LOCAL)
    page = open_page(timezone_id=other_zone, locale="de-DE")
    assert page.evaluate(LOCAL) != at_home
    episode = episode_make(presentation={"time_zone": zone, "locale": locale})
    page.goto(arena_server.address(episode))
    settled(page)

    differing = [pair for pair in zip(page.evaluate(LOCAL), at_home, strict=True) if pair[0] != pair[1]]

    assert differing == []
    begin = NOW.astimezone(ZoneInfo(zone))
    assert page.evaluate("[new Date().getDate(), new Date().getHours(), Date().slice(4, 18)]") == [
        begin.day,
        begin.hour,
        begin.strftime("%b %d %Y %H"),
    ]


def test_the_recorder_works_under_the_virtual_clock(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_make(recording="events")
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    page.get_by_role("textbox", name=SAMPLE.payload["fields"][0], exact=True).fill("1.00")
    with page.expect_response(lambda response: response.url.endswith("/events")):
        page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    assert PageEvent.objects.filter(episode=episode, kind="click").exists()


def test_the_task_can_be_collapsed_without_losing_typed_text(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_make()))
    settled(page)
    bar = page.get_by_role("region", name="Task")
    field = bar.get_by_role("textbox", name=SAMPLE.payload["fields"][1], exact=True)
    field.fill("L-1")

    bar.locator("summary").click()
    expect(field).to_be_hidden()
    bar.locator("summary").click()

    expect(field).to_have_value("L-1")


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_answer_can_be_submitted_from_any_page_of_the_site(
    has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_make()
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode, "trips"))
    bar = page.get_by_role("region", name="Task")
    for label, value in zip(SAMPLE.payload["fields"], ("412.50", "L-2041"), strict=True):
        bar.get_by_label(label, exact=True).fill(value)

    bar.get_by_role("button", name="Submit answer").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    assert Submission.objects.get(episode=episode).answer == ["412.50", "L-2041"]


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("theme", AXES["theme"])
def test_the_bar_is_exactly_as_wide_as_the_page(
    theme: str, width: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport={"width": width, "height": 800})
    page.goto(arena_server.address(episode_make(presentation={"theme": theme})))
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.get_by_role("region", name="Task").bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"]) == (0, 0, width)
