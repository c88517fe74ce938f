"""Questions of every kind in the looks of a rotation: answered, checked by axe-core, used by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from core.episodes.presentation import AXES, ROTATION, Look, look_rotate
from gymsite.arena.panels import SLOW_MS
from gymsite.arena.pop_ups import choose_pop_ups
from tasks_app.questions import questions
from tasks_app.starters import starter_drafts
from tasks_app.types import TaskDraft
from tests import coverage_choice
from tests.e2e.axe import violations
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_question_kinds import HARD, SIZES, episode_of, perform, submitted
from tests.question_moves import moves_in_look
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
KINDS: Mapping[str, TaskDraft] = {
    "free_answer": starter_drafts("math")[0],
    "choice": starter_drafts("arc")[0],
    "picture": starter_drafts("chartqa")[0],
    "table": starter_drafts("wikitable")[0],
    "code": starter_drafts("mbpp")[0],
    "tools": starter_drafts("tools")[0],
}
EDITORS = AXES["editor"]
TOOLS = {"table": ["sort", "find", "paging"], "code": ["run"], "picture": ["zoom"]}
TOOLS["tools"] = KINDS["tools"].payload["tools"]
# ``WHOLE_SITES=1`` takes every look of a turn; without it each fifth one is taken, by half of the kinds.
STRIDE = 1 if coverage_choice.IS_WHOLE else 5
PLACES = range(0, ROTATION, STRIDE)
SHOWN = [
    (kind, place)
    for turn, kind in enumerate(KINDS)
    for place in PLACES
    if coverage_choice.IS_WHOLE or (turn + place // STRIDE) % 2 == 0
]
SCRIPTS = pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])


def look_at(place: int, kind: str) -> Look:
    """The looks of a kind's own rotation, programs with both editors."""
    fixed = {"editor": EDITORS[place % 2]} if kind == "code" else {}
    return look_rotate(seed=list(KINDS).index(kind), place=place, fixed=fixed)


def test_these_looks_cover_every_kind_of_question() -> None:
    assert {*KINDS, "site"} == {*questions}


def episode_in(look: Look, kind: str = "free_answer", **variation: Any) -> Episode:
    return episode_of(KINDS[kind], presentation=look.as_dict(), variation=variation or None)


def pop_up(page: Page, episode: Episode, look: Look, number: int = 0) -> Locator:
    label = choose_pop_ups(episode.task.payload, look)[number].label
    return page.get_by_role("dialog", name=label, exact=True)


@pytest.mark.parametrize(
    ("kind", "place", "has_scripts"),
    [
        (kind, place, has_scripts)
        for place in PLACES
        for turn, kind in enumerate(KINDS)
        for has_scripts in (True, False)
        if coverage_choice.IS_WHOLE or has_scripts is ((turn + place // STRIDE) % 2 == 0)
    ],
)
def test_a_question_is_answered_in_every_look(
    kind: str, place: int, has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look, gold = look_at(place, kind), KINDS[kind].gold.answer
    episode = episode_in(look, kind, tools=TOOLS.get(kind, []))
    page = open_page(java_script_enabled=has_scripts, viewport={"width": 1280, "height": 720})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(arena_server.address(episode))
    if has_scripts:
        settled(page)

    moves = moves_in_look(questions.get(kind), episode.task.payload, gold, look=look, has_scripts=has_scripts)
    perform(page, moves)

    answer = submitted(page, episode)
    given = "|".join(answer) if isinstance(answer, list) else answer.replace("\r\n", "\n")
    assert given == gold
    assert complaints == []


@pytest.mark.parametrize(("kind", "place"), SHOWN)
def test_pages_have_no_serious_accessibility_faults_and_do_not_overflow(
    kind: str, place: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look = look_at(place, kind)
    page = open_page(viewport={"width": SIZES[place % 2][0], "height": SIZES[place % 2][1]})
    page.goto(arena_server.address(episode_in(look, kind, tools=TOOLS.get(kind, []))))
    settled(page)
    faults = violations(page)
    opener = page.locator("[popovertarget]:visible")
    if opener.count():
        opener.first.press("Enter")
        faults += violations(page)

    assert faults == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[place % 2][0]
    assert page.get_by_role("heading", level=1).count() == 1


@pytest.mark.parametrize(("kind", "has_scripts"), coverage_choice.values(KINDS, [True, False]))
def test_an_empty_submission_shows_an_error_in_a_dialog_that_can_be_reopened(
    kind: str, has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_in(Look(form="dialog"), kind)
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))
    dialog = page.get_by_role("dialog", name="Answer")
    expect(dialog).to_be_hidden()

    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("button", name="Submit answer").click()
    expect(dialog).to_contain_text("Give an answer first.")
    page.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(dialog).to_be_visible()
    page.get_by_role("button", name="Close").click()

    expect(dialog).to_be_hidden()
    assert not Submission.objects.filter(episode=episode).exists()


@pytest.mark.parametrize("kind", ["free_answer", "choice", "table"])
def test_keys_open_a_dialog_close_it_and_submit(
    kind: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_in(Look(form="dialog"), kind)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    opener = page.get_by_role("button", name="Answer", exact=True)
    field = page.get_by_role("radio" if kind == "choice" else "textbox").first

    opener.press("Enter")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(opener).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Space" if kind == "choice" else "7")
    page.keyboard.press("Enter")

    assert submitted(page, episode) == {"choice": "A", "table": ["7"]}.get(kind, "7")


@pytest.mark.parametrize("editor", EDITORS)
def test_a_dialog_focuses_the_program_field(
    editor: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_in(Look(form="dialog", editor=editor), "code")
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    page.get_by_role("button", name="Answer", exact=True).click()
    page.keyboard.type("x = 1")
    page.get_by_role("button", name="Submit answer").click()

    assert submitted(page, episode) == "x = 1"


def test_the_first_escape_leaves_the_editor_and_the_second_closes_the_dialog(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_in(Look(form="dialog"), "code")))
    settled(page)
    page.get_by_role("button", name="Answer", exact=True).click()
    field = page.get_by_role("textbox")

    page.keyboard.type("x")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(field).to_have_value("x    ")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Submit answer")).to_be_focused()
    page.keyboard.press("Escape")

    expect(field).to_be_hidden()
    page.get_by_role("button", name="Answer", exact=True).click()
    expect(field).to_have_value("x    ")


@SCRIPTS
def test_a_pop_up_closes_by_keyboard_and_the_page_remains_usable(
    has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look = Look(pop_ups="early")
    episode = episode_in(look)
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))

    page.keyboard.press("Tab")
    expect(pop_up(page, episode, look).get_by_role("button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Tab")

    expect(page.get_by_role("textbox")).to_be_focused()


@pytest.mark.parametrize(
    ("window", "kind"), coverage_choice.values(coverage_choice.pairs(SIZES, AXES["zoom"]), KINDS)
)
def test_a_dialog_and_a_pop_up_never_cover_each_other(
    kind: str, window: tuple[Any, int], arena_server: ArenaServer, open_page: OpenPage
) -> None:
    size, zoom = window
    look = Look(form="dialog", pop_ups="early", zoom=zoom, density="roomy", layout="wide")
    episode = episode_in(look, kind)
    page = open_page(viewport={"width": size[0], "height": size[1]})
    page.goto(arena_server.address(episode))
    settled(page)

    page.get_by_role("button", name="Answer", exact=True).press("Enter")
    form = page.get_by_role("dialog", name="Answer").bounding_box()
    over = pop_up(page, episode, look).bounding_box()

    assert form
    assert over
    is_beside = over["x"] + over["width"] <= form["x"]
    assert is_beside or over["y"] + over["height"] <= form["y"]
    page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_text("Give an answer first.")).to_be_visible()


def test_a_closed_pop_up_stays_closed_when_the_page_is_shown_again(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look = Look(pop_ups="early")
    episode = episode_in(look)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Submit answer").click()
    expect(page.get_by_text("Give an answer first.")).to_be_visible()
    settled(page)

    expect(page.get_by_role("dialog")).to_have_count(0)


def test_closing_a_pop_up_leaves_the_page_settled(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_in(Look(pop_ups="early"))))
    settled(page)

    page.get_by_role("dialog").get_by_role("button").last.click()

    assert page.locator("html").get_attribute("data-settled") == "true"
    assert page.get_by_role("dialog").count() == 0


def test_a_late_pop_up_opens_on_typing_and_does_not_take_the_focus(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look = Look(pop_ups="late")
    episode = episode_in(look)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.get_by_role("textbox").press_sequentially("42")

    expect(pop_up(page, episode, look)).to_be_visible()
    expect(page.get_by_role("textbox")).to_have_value("42")
    expect(page.get_by_role("textbox")).to_be_focused()


def test_a_late_pop_up_opens_on_scrolling(arena_server: ArenaServer, open_page: OpenPage) -> None:
    look = Look(pop_ups="late", zoom=125)
    episode = episode_in(look, "code")
    page = open_page(viewport={"width": 400, "height": 400})
    page.goto(arena_server.address(episode))
    settled(page)

    page.mouse.wheel(0, 200)

    expect(pop_up(page, episode, look)).to_be_visible()


def test_frequent_pop_ups_open_one_at_a_time(arena_server: ArenaServer, open_page: OpenPage) -> None:
    look = Look(pop_ups="often")
    episode = episode_in(look)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    first, second = (pop_up(page, episode, look, number) for number in (0, 1))

    page.get_by_role("textbox").press_sequentially("4")
    expect(page.get_by_role("dialog")).to_have_count(1)
    first.get_by_role("button").last.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("textbox").press_sequentially("2")
    expect(second).to_be_visible()
    second.get_by_role("button").first.click()
    page.get_by_role("textbox").press_sequentially("!")

    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    assert submitted(page, episode) == "42!"


@pytest.mark.parametrize("slow", [slow for slow in SLOW_MS if SLOW_MS[slow]])
def test_a_page_is_settled_once_its_panels_are_shown(
    slow: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(arena_server.address(episode_in(Look(panels="two", slow=slow))))
    panels = page.get_by_role("complementary")

    page.clock.run_for(SLOW_MS[slow] - 1)
    expect(panels).to_have_count(0)
    expect(page.locator("html")).not_to_have_attribute("data-settled", "true")
    page.clock.run_for(1)

    settled(page)
    expect(panels).to_have_count(2)


def test_panels_are_shown_without_scripts(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(arena_server.address(episode_in(Look(panels="two", slow="long"))))

    expect(page.get_by_role("complementary")).to_have_count(2)


@pytest.mark.parametrize("form", AXES["form"])
def test_pictures_and_lines_fit_the_page_wherever_the_form_is(
    form: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    look, page = Look(form=form, panels="two", layout="plain"), open_page()
    for name, (width, height) in coverage_choice.values(HARD, SIZES):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(arena_server.address(episode_of(HARD[name], presentation=look.as_dict())))
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


def test_a_picture_is_not_squeezed_by_a_form_beside_it(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport={"width": 1280, "height": 720})
    for name, is_beside in (("a wide picture", False), ("pictures in text and choices", False)):
        shown = episode_of(HARD[name], presentation=Look(form="beside").as_dict())
        page.goto(arena_server.address(shown))
        settled(page)
        question, answer = (page.locator(part).bounding_box() for part in (".question-part", ".answer-part"))
        assert question
        assert answer
        assert (answer["x"] > question["x"]) is is_beside
    page.goto(arena_server.address(episode_in(Look(form="beside"), "picture")))
    settled(page)
    frame = page.get_by_role("figure")
    assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
    assert page.get_by_role("textbox").bounding_box()["x"] > frame.bounding_box()["x"]  # type: ignore[index]
