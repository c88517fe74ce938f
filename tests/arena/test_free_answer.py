from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, Submission

Address = Callable[..., str]
GRID = "1 _  3\n\n  _ 2 <1>\n"


def puzzle_episode(**payload: Any) -> Episode:
    task = factories.task(payload={"text": GRID, "format": "plain", **payload})
    return factories.episode(task=task)


def test_preformatted_text_keeps_every_space_and_line(arena_client: ArenaClient, address: Address) -> None:
    html = page(arena_client, address(puzzle_episode(layout="preformatted")))

    assert '<pre data-block="1">1 _  3\n\n  _ 2 &lt;1&gt;\n</pre>' in html


def test_an_answer_of_several_lines_has_a_large_field(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = puzzle_episode(answer_lines=True)
    outline = Outline(page(arena_client, address(episode)))

    (field,) = outline.all("textarea")
    assert (field["name"], field["rows"], field["spellcheck"]) == ("answer", "6", "false")
    assert [label["for"] for label in outline.all("label")] == [field["id"]]
    assert outline.all("input") == []
    assert submit(episode, "answer=1+2%0D%0A3+4").status_code == 303
    assert Submission.objects.get(episode=episode).answer == "1 2\n3 4"


def test_submitting_nothing_shows_the_error_at_the_large_field(submit: Callable[..., Any]) -> None:
    answer = submit(puzzle_episode(answer_lines=True), "answer=")

    (field,) = Outline(answer.content.decode()).all("textarea")
    assert (answer.status_code, field["aria-describedby"]) == (422, "answer-error")
