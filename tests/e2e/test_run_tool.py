"""The Run tool in a browser; the worker's part is played by this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from tests.e2e.test_code_question import code_episode, field_of, hand_in
from trajectories.models import Episode, PageEvent, ToolCall
from trajectories.rollouts.judging import tool_calls

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]

OpenPage = Callable[..., Page]
PROGRAM = "def add(a, b):\n    print('<b>one</b>')\n    return a + b"
WRONG = "def add(a, b):\n    raise ValueError('<i>' + a)"
SHOWN = "assert add('a  b', '') == 'a  b'"


def episode_with_run(editor: str = "plain") -> Episode:
    return code_episode(
        editor=editor, variation={"tools": ["run"], "asserts": [SHOWN, "assert add(1, 2) == 3"]}
    )


def work(episode: Episode, number: int = 1) -> None:
    assert tool_calls.call_do(episode_id=episode.pk, number=number)


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("editor", ["plain", "codemirror"])
def test_a_program_is_run_corrected_run_again_and_submitted(
    editor: str, javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_with_run(editor)
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))

    field_of(page).fill(WRONG)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("Running the program")).to_be_visible()
    work(episode)
    expect(page.get_by_text("0 of 2 passed.")).to_be_visible()
    expect(page.get_by_text("ValueError: <i>a")).to_be_visible()

    field_of(page).fill(PROGRAM)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("heading", name="Run 2")).to_be_visible()
    work(episode, 2)
    expect(page.get_by_text("2 of 2 passed.")).to_be_visible()
    expect(page.get_by_text("<b>one</b>\n<b>one</b>")).to_be_visible()

    assert hand_in(page, episode) == PROGRAM
    assert list(ToolCall.objects.order_by("number").values_list("input", flat=True)) == [WRONG, PROGRAM]


def test_the_page_is_not_settled_while_a_run_is_under_way(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_with_run()
    page = open_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(arena_server.address(episode))
    settled(page)

    field_of(page).fill(PROGRAM)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("Running the program")).to_be_visible()
    expect(page.locator("html")).not_to_have_attribute("data-settled", "true")
    page.get_by_role("button", name="Run").click(force=True)
    work(episode)
    settled(page)

    expect(page.get_by_text("2 of 2 passed.")).to_be_visible()
    expect(page.get_by_role("button", name="Run")).to_be_enabled()
    assert ToolCall.objects.count() == 1
    assert complaints == []


@pytest.mark.parametrize("editor", ["plain", "codemirror"])
def test_a_reloaded_page_keeps_the_program_and_waits_for_its_run(
    editor: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_with_run(editor)
    first, second = open_page(), open_page()
    first.goto(arena_server.address(episode))
    settled(first)
    field_of(first).fill(PROGRAM)
    first.get_by_role("button", name="Run").click()
    expect(first.get_by_text("Running the program")).to_be_visible()

    second.goto(arena_server.address(episode))
    work(episode)
    settled(second)

    expect(second.get_by_text("2 of 2 passed.")).to_be_visible()
    assert hand_in(second, episode) == PROGRAM


def test_a_failed_run_request_shows_an_error_and_the_page_settles(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(episode_with_run()))
    settled(page)

    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("Write a program first.")).to_be_visible()
    page.route("**/run", lambda route: route.abort())
    field_of(page).fill(PROGRAM)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("The program could not be run. Try again.")).to_be_visible()
    settled(page)
    page.unroute("**/run")
    page.get_by_role("button", name="Run").click()

    expect(page.get_by_text("Running the program")).to_be_visible()


def test_typing_into_the_editor_is_recorded_as_input_of_the_field(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_with_run("codemirror")
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    field_of(page).press_sequentially("x = 1")
    editor = field_of(page).bounding_box()
    hand_in(page, episode)

    typed = PageEvent.objects.filter(episode=episode, kind="input").latest("seq").data
    assert {key: typed[key] for key in ("role", "name", "value")} == {
        "role": "textbox",
        "name": "Your answer",
        "value": "x = 1",
    }
    assert editor is not None
    assert typed["box"] == pytest.approx([editor[key] for key in ("x", "y", "width", "height")], abs=1)


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("editor", ["plain", "codemirror"])
def test_a_dialog_stays_open_over_a_run(
    editor: str, javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode(
        look={"form": "dialog"}, editor=editor, variation={"tools": ["run"], "asserts": [SHOWN]}
    )
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))
    page.get_by_role("button", name="Answer", exact=True).click()

    field_of(page).fill(PROGRAM)
    page.get_by_role("button", name="Run").click()
    dialog = page.get_by_role("dialog", name="Answer")
    expect(dialog).to_contain_text("Running the program")
    work(episode)
    expect(dialog).to_contain_text("1 of 1 passed.")

    assert hand_in(page, episode) == PROGRAM
