from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from core.episodes.presentation import Look
from gymsite.question_pages.server import Item
from tasks_app.starters import starter_drafts
from tests import coverage_choice, factories
from tests.arena.test_code import PAYLOAD
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from trajectories.models import Episode, Submission
from validation.parity.check import items_check

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
NASTY = {
    "brackets": "def f(a):\n    return [(a, {1: [2]}), (\n        a,\n    )]\n",
    "quotes": "a = 'it\\'s \"so\"'\nb = \"'\"\nc = '' + \"\"\n",
    "triple quotes": "def f():\n    \"\"\"One (two.\n\n        T\" f'\n    \"\"\"\n    return '''a\n  b'''\n",
    "decorators": "import functools\n\n\n@functools.cache\n@f\nclass G(F):\n    def g(self): return self\n",
    "dedents": "if a:\n    if b:\n        c = 1\n  # odd\nelse :\n\tpass\nd = {\n}\n",
    "tabs": "def f(x):\n\tif x:\n\t\treturn\t1\n\treturn 0",
    "trailing spaces": "x = 1   \n   \n    \ny = 2 \n\n\n",
    "comments": "# (unclosed [ { ' \"\nx = 1  # ''' \"\"\"\n",
    "other letters": "s = 'é ½ → 語 \N{GRINNING FACE} \\u200d'\n",
}
SAMPLES = {draft.key: draft.gold.answer for draft in starter_drafts("mbpp")}


def code_episode(*, payload: dict[str, Any] | None = None, **fields: Any) -> Episode:
    task = factories.task(kind="code", payload={**PAYLOAD, **(payload or {})})
    presentation = Look(editor=fields.pop("editor", "plain"), **fields.pop("look", {})).as_dict()
    return factories.episode(task=task, presentation=presentation, **fields)


def field_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Your answer")


def hand_in(page: Page, episode: Episode) -> str:
    """Submit the program; returns the stored answer with normalised line ends."""
    page.get_by_role("button").last.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    return str(Submission.objects.get(episode=episode).answer).replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("editor", "program"),
    [
        pytest.param(editor, program, id=f"{editor} {name}")
        for turn, (name, program) in enumerate((NASTY | SAMPLES).items())
        for editor in ("codemirror", "plain")
        if coverage_choice.IS_WHOLE
        or turn % 4 == 0  # a plain field writes nothing itself, and sample programs are long
        or (editor == "codemirror" and name in NASTY)
    ],
)
def test_a_program_typed_key_by_key_is_submitted_as_it_was_typed(
    editor: str, program: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode(editor=editor)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    field_of(page).click()
    page.keyboard.type(program)

    assert hand_in(page, episode) == program


@pytest.mark.parametrize("editor", ["plain", "codemirror"])
def test_a_program_inserted_at_once_after_some_keys_is_submitted_whole(
    editor: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    program = "\n".join(NASTY.values())
    episode = code_episode(editor=editor)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    field_of(page).click()
    page.keyboard.type(program[:200])
    page.keyboard.insert_text(program[200:])

    assert hand_in(page, episode) == program


@pytest.mark.parametrize("javascript", [True, False])
def test_a_program_is_written_and_submitted(
    javascript: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode()
    page = open_page(java_script_enabled=javascript)
    page.goto(arena_server.address(episode))

    page.get_by_role("button").click()
    expect(page.get_by_text("Give an answer first.")).to_be_visible()
    field_of(page).fill("def add(a, b):\n    return a + b")

    assert hand_in(page, episode) == "def add(a, b):\n    return a + b"


def test_the_hint_about_keys_is_shown_only_when_the_keys_work(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode()
    for javascript in (True, False):
        page = open_page(java_script_enabled=javascript)
        page.goto(arena_server.address(episode))
        expect(page.get_by_text("Tab indents")).to_be_visible(visible=javascript)


@pytest.mark.parametrize("editor", ["plain", "codemirror"])
def test_tab_indents_and_after_escape_leaves_the_field(
    editor: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode(editor=editor)
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    field_of(page).click()

    for keys in (
        "a",
        "Enter",
        "Tab",
        "b",
        "Enter",
        "Tab",
        "c",
        "Shift+Tab",
        "Control+a",
        "Tab",
        "Tab",
        "Shift+Tab",
    ):
        page.keyboard.press(keys)
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")

    expect(page.get_by_role("button").first).to_be_focused()
    assert hand_in(page, episode) == "    a\n        b\n    c"


def test_an_indentation_by_tab_can_be_undone(arena_server: ArenaServer, open_page: OpenPage) -> None:
    page = open_page()
    page.goto(arena_server.address(code_episode()))
    settled(page)
    field_of(page).fill("a\n  b")

    for keys in ("Control+a", "Tab", "Shift+Tab", "Shift+Tab"):
        page.keyboard.press(keys)
    expect(field_of(page)).to_have_value("a\nb")
    for _ in range(2):
        page.keyboard.press("Control+z")

    expect(field_of(page)).to_have_value("    a\n      b")


def test_the_editor_breaks_no_policy_and_reports_no_error(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(arena_server.address(code_episode(editor="codemirror")))
    settled(page)

    field_of(page).press_sequentially("def f(x):\n    return (x, 'y')  # z")
    for keys in ("Control+a", "Tab", "Control+z"):
        page.keyboard.press(keys)

    assert complaints == []
    expect(page.locator(".cm-gutters")).to_have_css("background-color", "rgb(239, 237, 231)")
    assert page.locator("style, [style*=url]").count() == 0


def test_the_editor_is_one_named_text_box_with_its_content(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    page.goto(arena_server.address(code_episode(editor="codemirror")))
    settled(page)

    page.get_by_text("Your answer").click()
    page.keyboard.type("x = [1]")

    expect(page.get_by_role("textbox")).to_have_count(1)
    expect(page.get_by_role("textbox")).to_be_focused()
    expect(page.get_by_role("textbox")).to_have_accessible_name("Your answer")
    expect(page.get_by_role("textbox")).to_have_text("x = [1]")


def test_a_client_that_selects_all_of_the_editor_types_over_it(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = code_episode(editor="codemirror")
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    for program in ("first = 1\n\n", "\n".join(NASTY.values()), "def f():\n    return 1"):
        field_of(page).evaluate("field => { field.focus(); getSelection().selectAllChildren(field); }")
        page.keyboard.type(program[:200])
        page.keyboard.insert_text(program[200:])

    assert hand_in(page, episode) == "def f():\n    return 1"


def test_without_javascript_the_editor_is_the_plain_field(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(arena_server.address(code_episode(editor="codemirror")))

    expect(field_of(page)).to_be_editable()
    assert field_of(page).evaluate("field => field.tagName") == "TEXTAREA"


@pytest.mark.parametrize(
    ("editor", "width", "zoom"), coverage_choice.pairs(["plain", "codemirror"], [400, 1280], [90, 125])
)
def test_a_long_line_makes_no_page_scroll_sideways(
    editor: str, width: int, zoom: int, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    asserts = ["assert add(" + "'x', " * 60 + "y" * 200 + ")"]
    episode = code_episode(payload={"asserts": asserts}, editor=editor, look={"zoom": zoom, "layout": "wide"})
    page = open_page(viewport={"width": width, "height": 800})
    page.goto(arena_server.address(episode))
    settled(page)

    field_of(page).click()
    page.keyboard.insert_text("x = '" + "long " * 60 + "n" * 200 + "'")

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    widths = page.locator("pre, textarea, .cm-scroller").evaluate_all(
        "boxes => boxes.filter(box => box.offsetParent).map(box => box.scrollWidth - box.clientWidth)"
    )
    assert max(widths) <= 0


def test_the_observation_holds_the_whole_question_with_either_editor(browser: Browser) -> None:
    """In a thread of its own, because the browser of other tests keeps an event loop in this one."""
    payloads = [PAYLOAD, {**PAYLOAD, "asserts": ["assert f('a|b  $1$') == \"<b>\"", "assert f('')"]}]
    items = [Item("code", payload) for payload in payloads]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(items_check, items).result() == [None, None]
