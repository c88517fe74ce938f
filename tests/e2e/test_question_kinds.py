"""One item of every benchmark, answered on its real page by the moves of its kind, with and without
scripts.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from core.episodes.presentation import AXES, Look
from tasks_app import choices, draft_assets
from tasks_app.questions import Move, questions
from tasks_app.registry import benchmarks
from tasks_app.starters import starter_drafts
from tasks_app.types import GoldDraft, PictureDraft, TaskDraft
from tests import coverage_choice, factories
from tests.e2e.conftest import ArenaServer
from tests.e2e.test_arena_pages import settled
from trajectories.models import Episode, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
SIZES = [(1280, 800), (400, 800)]
SAMPLES = {name: starter_drafts(name)[0] for name in benchmarks}
SCALES = """Array.from(
  document.images, (one) => [one.clientWidth / one.naturalWidth, one.clientHeight / one.naturalHeight]
)"""
LONG = "the demand that each of them faces depends on what the other one does, " * 5


def drawn(width: int, height: int, colour: str = "teal") -> PictureDraft:
    data = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(data, "PNG")
    return PictureDraft(data=data.getvalue())


def lettered(*texts: str) -> list[dict[str, str]]:
    return [{"label": label, "text": text} for label, text in zip("ABCDEFGHIJ", texts, strict=False)]


def draft(kind: str, *pictures: PictureDraft, **payload: Any) -> TaskDraft:
    gold = GoldDraft(answer="?")
    return TaskDraft(key="1", kind=kind, payload={"format": "plain", **payload}, gold=gold, pictures=pictures)


HARD = {
    "pictures in text and choices": draft(
        "choice",
        *(drawn(700, 200), drawn(1400, 120, "navy"), drawn(90, 90, "orange")),
        text="Which of these tiles <image 1>?",
        passage="A tile covers a plane without gaps.",
        choices=lettered("<image 2>", "this one: <image 3>", "None of them"),
    ),
    "ten choices, long ones": draft(
        "choice",
        text="(I) They collude.\n(II) They do not.",
        choices=lettered(LONG, "first line\nsecond line", "w" * 200, *"4567890"),
    ),
    "formulas": draft(
        "choice",
        text=r"What is $\int_0^1 x^2\,dx$?",
        format="latex",
        choices=lettered(r"$\frac13$", r"\[\sum_{k=1}^n \frac{1}{k^2}\]", r"\$5"),
    ),
    "a wide picture": draft("picture", drawn(1500, 300), text="How tall is it?"),
    "a puzzle of many lines": draft(
        "free_answer", text="4 _ _ 1\n\n_  1 4 _" + " 0" * 200, layout="preformatted", answer_lines=True
    ),
}


def episode_of(shown: TaskDraft, **fields: Any) -> Episode:
    whole = draft_assets.draft_complete(shown)
    task = factories.task(kind=whole.kind, payload=dict(whole.payload), prompt=whole.prompt)
    return factories.episode(task=task, **fields)


def located(page: Page, move: Move) -> Locator:
    elements = page.get_by_role(move.role, name=move.name, exact=True)  # type: ignore[arg-type]
    return elements.last if move.place < 0 else elements.nth(move.place)


def perform(page: Page, moves: Sequence[Move]) -> None:
    acts = {
        "type": lambda target, move: target.fill(move.text),
        "choose": lambda target, _: target.check(),
        "press": lambda target, _: target.click(),
    }
    for move in moves:
        acts[move.act](located(page, move), move)


def submitted(page: Page, episode: Episode) -> Any:
    expect(page.get_by_role("heading", level=1)).to_have_text("Answer recorded")
    return Submission.objects.get(episode=episode).answer


@pytest.mark.parametrize(("benchmark", "has_scripts"), coverage_choice.values(SAMPLES, [True, False]))
def test_the_moves_of_a_question_kind_submit_the_gold(
    benchmark: str, has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    sample = SAMPLES[benchmark]
    episode = episode_of(sample)
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))

    perform(page, questions.get(sample.kind).moves(episode.task.payload, sample.gold.answer))

    answer = submitted(page, episode)
    given = "|".join(answer) if isinstance(answer, list) else answer.replace("\r\n", "\n")
    assert given == sample.gold.answer


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_several_lines_are_submitted_as_lines(
    has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(HARD["a puzzle of many lines"])
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))

    perform(page, questions.get("free_answer").moves(episode.task.payload, "1 2\n 3 4"))

    assert submitted(page, episode) == "1 2\n 3 4"


def test_a_permuted_choice_is_submitted_under_its_displayed_label(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    order = choices.order_draw(3, seed=4)
    episode = episode_of(HARD["pictures in text and choices"], variation={"order": order})
    page = open_page()
    page.goto(arena_server.address(episode))

    radio = page.get_by_role("radio", name="None of them")
    place = order.index(2)
    expect(radio).to_have_accessible_name(f"{'ABC'[place]}. None of them")
    picture = page.get_by_role("radio").nth(order.index(0))
    expect(picture).to_have_accessible_name(f"{'ABC'[order.index(0)]}. Figure 2")
    page.get_by_text("None of them").click()
    page.get_by_role("button").click()

    assert submitted(page, episode) == "ABC"[place]


def test_the_keyboard_alone_chooses_and_submits(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_of(HARD["formulas"])
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)

    page.keyboard.press("Tab")
    expect(page.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", checked=True)).to_have_accessible_name(r"B. \sum_{k=1}^n \frac{1}{k^2}")
    page.keyboard.press("Enter")

    assert submitted(page, episode) == "B"


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
def test_submitting_no_choice_shows_an_error_at_the_choices(
    has_scripts: bool, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    episode = episode_of(HARD["pictures in text and choices"])
    page = open_page(java_script_enabled=has_scripts)
    page.goto(arena_server.address(episode))

    page.get_by_role("button").click()

    group = page.get_by_role("radiogroup", name=page.locator("legend").inner_text())
    expect(group).to_have_accessible_description("Give an answer first.")
    expect(page.get_by_role("img").first).to_have_js_property("naturalWidth", 700)
    assert not Submission.objects.filter(episode=episode).exists()


@pytest.mark.parametrize("name", HARD)
def test_nothing_overflows_the_page_and_pictures_keep_their_size(
    name: str, arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page()
    for zoom, (width, height) in coverage_choice.values(AXES["zoom"], SIZES[::-1]):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(arena_server.address(episode_of(HARD[name], presentation=Look(zoom=zoom).as_dict())))
        settled(page)

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(SCALES) == [[1, 1]] * len(HARD[name].pictures)


def test_a_wide_picture_scrolls_in_its_own_frame_by_the_keyboard(
    arena_server: ArenaServer, open_page: OpenPage
) -> None:
    page = open_page(viewport={"width": 400, "height": 800})
    page.goto(arena_server.address(episode_of(HARD["a wide picture"])))
    settled(page)

    page.keyboard.press("Tab")
    frame = page.get_by_role("figure", name="Figure 1")
    expect(frame).to_be_focused()
    page.keyboard.press("ArrowRight")

    page.wait_for_function("(frame) => frame.scrollLeft > 0", arg=frame.element_handle())


def test_zooming_keeps_typed_text(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_of(HARD["a wide picture"], variation={"tools": ["zoom"]})
    page = open_page()
    page.goto(arena_server.address(episode))
    settled(page)
    page.get_by_role("textbox").fill("typed")
    picture = page.get_by_role("img")

    for width in (3000, 4500):
        page.get_by_role("link", name="Zoom in").click()
        expect(picture).to_have_js_property("clientWidth", width)
    expect(page.get_by_role("link")).to_have_text(["Original size"])
    page.get_by_role("link", name="Original size").click()

    expect(picture).to_have_js_property("clientWidth", 1500)
    expect(page.get_by_role("textbox")).to_have_value("typed")
    settled(page)


def test_zooming_works_without_scripts(arena_server: ArenaServer, open_page: OpenPage) -> None:
    episode = episode_of(HARD["a wide picture"], variation={"tools": ["zoom"]})
    page = open_page(java_script_enabled=False)
    page.goto(arena_server.address(episode))

    page.get_by_role("link", name="Zoom in").click()
    expect(page.get_by_role("img")).to_have_attribute("width", "3000")
    page.get_by_role("link", name="Original size").click()
    expect(page.get_by_role("img")).to_have_attribute("width", "1500")
