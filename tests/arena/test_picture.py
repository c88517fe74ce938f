from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tasks_app.questions import questions
from tests import factories
from tests.arena.test_choice import PICTURES
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, Submission

Address = Callable[..., str]
PAYLOAD: dict[str, Any] = {"text": "How tall is the bar?", "format": "plain", "pictures": PICTURES[:1]}


def picture_episode(payload: dict[str, Any] | None = None, **fields: Any) -> Episode:
    task = factories.task(kind="picture", payload={**PAYLOAD, **(payload or {})})
    return factories.episode(task=task, **fields)


def test_an_unplaced_picture_precedes_the_question_at_its_own_size(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(picture_episode()))

    (image,) = Outline(html).all("img")
    assert (image["src"], image["alt"]) == ("pictures/figure-1", "Figure 1")
    assert (image["width"], image["height"]) == ("40", "30")
    assert html.index("figure-1") < html.index(PAYLOAD["text"])
    assert [field["type"] for field in Outline(html).all("input")] == ["text"]


def test_a_scrollable_picture_is_reachable_by_keyboard(arena_client: ArenaClient, address: Address) -> None:
    (figure,) = Outline(page(arena_client, address(picture_episode()))).all("figure")

    assert (figure["tabindex"], figure["aria-label"]) == ("0", "Figure 1")


def test_the_text_shows_the_pictures_as_markdown() -> None:
    payload = {**PAYLOAD, "text": "In <image 1>, how tall is the bar?"}

    assert questions.get("picture").text(payload) == f"In ![Figure 1](blob:{'1' * 64}), how tall is the bar?"


def test_a_typed_answer_is_taken(submit: Callable[..., Any]) -> None:
    episode = picture_episode()

    assert submit(episode, "answer=12%25").status_code == 303
    assert Submission.objects.get(episode=episode).answer == "12%"


def links(html: str) -> dict[str, bool]:
    """The addresses of the page's links and whether they are shown."""
    return {str(link["href"]): "hidden" not in link for link in Outline(html).all("a")}


@pytest.mark.parametrize(
    ("query", "width", "offered"),
    [
        ("", "40", {"./?zoom=2": True, "./": False}),
        ("?zoom=2", "80", {"./?zoom=3": True, "./": True}),
        ("?zoom=3", "120", {"./?zoom=3": False, "./": True}),
        ("?zoom=4", "40", {"./?zoom=2": True, "./": False}),
        ("?zoom=-1&zoom=x", "40", {"./?zoom=2": True, "./": False}),
    ],
)
def test_the_zoom_tool_draws_the_same_picture_larger(
    query: str, width: str, offered: dict[str, bool], arena_client: ArenaClient, address: Address
) -> None:
    episode = picture_episode(variation={"tools": ["zoom"]})

    html = page(arena_client, address(episode, query))

    (image,) = Outline(html).all("img")
    assert (image["src"], image["width"]) == ("pictures/figure-1", width)
    assert links(html) == offered
    assert "js/arena/zoom.js" in html


def test_a_note_for_readers_without_scripts_says_that_zooming_clears_the_answer(
    arena_client: ArenaClient, address: Address
) -> None:
    hint = '<noscript> <p class="hint">Zoom before you answer'
    zoomed = page(arena_client, address(picture_episode(variation={"tools": ["zoom"]})))
    assert hint in " ".join(zoomed.split())
    assert "<noscript>" not in page(arena_client, address(picture_episode()))


def test_without_the_tool_nothing_zooms(arena_client: ArenaClient, address: Address) -> None:
    html = page(arena_client, address(picture_episode(), "?zoom=2"))

    (image,) = Outline(html).all("img")
    assert (image["width"], links(html)) == ("40", {})
    assert "zoom.js" not in html
