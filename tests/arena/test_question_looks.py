"""The place of a question's form and its surroundings, as the server renders them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.episodes.presentation import AXES, Look, look_rotate
from gymsite.arena.panels import PANELS, choose_panels
from gymsite.arena.pop_ups import POP_UPS, choose_pop_ups
from gymsite.arena.wording import WORDINGS
from tasks_app.questions import SUBMIT, Move, questions
from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from tests.question_moves import moves_in_look
from trajectories.models import Submission

Address = Callable[..., str]
KINDS = ("free_answer", "choice", "picture", "table", "code", "tools")
PAYLOAD = {"text": "How far is it to the sea?", "format": "plain"}
ROTATED = [look_rotate(seed=7, place=place, fixed={}) for place in range(48)]


def drawn(client: ArenaClient, address: Address, look: Look, **fields: Any) -> str:
    task = factories.task(payload=PAYLOAD)
    return page(client, address(factories.episode(task=task, presentation=look.as_dict(), **fields)))


def test_every_kind_of_question_is_drawn_in_these_looks() -> None:
    assert {*KINDS, "site"} == {*questions}


@pytest.mark.parametrize(("form", "is_first"), [("below", False), ("above", True), ("beside", False)])
def test_the_form_precedes_or_follows_the_question(
    form: str, is_first: bool, arena_client: ArenaClient, address: Address
) -> None:
    html = drawn(arena_client, address, Look(form=form))

    assert (html.index("<form") < html.index(PAYLOAD["text"])) is is_first
    assert html.index("<h1>") < min(html.index("<form"), html.index(PAYLOAD["text"]))
    assert "<dialog" not in html


def test_a_dialog_is_opened_by_a_button_and_closed_by_one(
    arena_client: ArenaClient, address: Address
) -> None:
    html = drawn(arena_client, address, Look(form="dialog"))
    outline = Outline(html)

    (dialog,) = outline.all("dialog")
    assert "open" not in dialog
    opener, closer = (button for button in outline.all("button") if "popovertarget" in button)
    assert {opener["popovertarget"], closer["popovertarget"]} == {dialog["id"]}
    assert closer["popovertargetaction"] == "hide"
    assert html.index(PAYLOAD["text"]) < html.index("<dialog") < html.index('action="submit"')


def test_an_error_is_shown_by_a_dialog_that_is_open(
    arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = factories.episode(presentation=Look(form="dialog").as_dict())

    response = submit(episode, "answer=")

    html = response.content.decode()
    assert response.status_code == 422
    assert "open" in Outline(html).all("dialog")[0]
    assert html.index("<dialog") < html.index("Give an answer first.") < html.index("</dialog>")
    assert not Submission.objects.filter(episode=episode).exists()


def test_an_answer_through_the_interface_needs_no_form_and_no_opener(
    arena_client: ArenaClient, address: Address
) -> None:
    html = drawn(arena_client, address, Look(form="dialog", panels="one"), answer_channel="api")

    assert "<button" not in html
    assert "<dialog" not in html
    assert html.count("<aside") == 1


@pytest.mark.parametrize(("panels", "count"), [("none", 0), ("one", 1), ("two", 2)])
def test_panels_are_named_landmarks_outside_the_question(
    panels: str, count: int, arena_client: ArenaClient, address: Address
) -> None:
    look = Look(panels=panels, slow="long")
    html = drawn(arena_client, address, look)
    outline = Outline(html)

    assert [aside["aria-label"] for aside in outline.all("aside")] == [
        panel.label for panel in choose_panels(PAYLOAD, look)
    ]
    assert html.count("<aside") == count
    assert "<aside" not in html[: html.index("</main>")]
    assert ('data-slow="900"' in html) is bool(count)


@pytest.mark.parametrize(
    ("pop_ups", "is_open"), [("none", []), ("early", [True]), ("late", [False]), ("often", [True, False])]
)
def test_pop_ups_open_at_once_or_after_a_delay(
    pop_ups: str, is_open: list[bool], arena_client: ArenaClient, address: Address
) -> None:
    outline = Outline(drawn(arena_client, address, Look(pop_ups=pop_ups)))

    assert ["open" in dialog for dialog in outline.all("dialog")] == is_open


def test_panels_and_pop_ups_are_many_and_each_is_named_once() -> None:
    assert len({panel.label for panel in PANELS}) == len({panel.heading for panel in PANELS}) == len(PANELS)
    assert len(PANELS) >= 8
    assert len({pop_up.name for pop_up in POP_UPS}) == len({pop_up.label for pop_up in POP_UPS})


def test_looks_and_questions_draw_all_panels_and_pop_ups_and_always_the_same() -> None:
    payloads = [{"text": f"Question {n}?"} for n in range(8)]
    drawings = [(payload, look) for payload in payloads for look in ROTATED]

    panels = {panel for drawing in drawings for panel in choose_panels(*drawing)}
    pop_ups = {pop_up.name for drawing in drawings for pop_up in choose_pop_ups(*drawing)}

    assert panels == set(PANELS)
    assert pop_ups == {pop_up.name for pop_up in POP_UPS}
    assert [choose_panels(*drawing) for drawing in drawings] == [
        choose_panels(*drawing) for drawing in drawings
    ]


@pytest.mark.parametrize("look", ROTATED[:12], ids=lambda look: look.digest())
def test_no_pop_up_shares_a_name_with_a_control_of_the_form(look: Look) -> None:
    """A scripted client finds the form's controls by their names."""
    wording = WORDINGS[look.wording]
    names = {button for pop_up in POP_UPS for button in pop_up.buttons} | {one.label for one in POP_UPS}
    assert not names & {wording.opener, wording.closer, wording.button, wording.label, wording.choice}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    ("axes", "more"),
    [
        ({}, 0),
        ({"form": "above"}, 0),
        ({"form": "dialog"}, 1),
        ({"pop_ups": "early"}, 1),
        ({"pop_ups": "late"}, 1),
        ({"form": "dialog", "pop_ups": "often", "panels": "two"}, 3),
    ],
)
def test_a_dialog_and_each_pop_up_of_a_look_cost_one_more_move(
    name: str, axes: dict[str, Any], more: int
) -> None:
    assert questions.get(name).more_moves(PAYLOAD, Look(**axes)) == more


@pytest.mark.parametrize("form", AXES["form"])
@pytest.mark.parametrize("pop_ups", AXES["pop_ups"])
def test_the_moves_of_a_look_are_those_of_the_question_plus_its_own(form: str, pop_ups: str) -> None:
    kind, look = questions.get("free_answer"), Look(form=form, pop_ups=pop_ups)
    neutral = kind.moves(PAYLOAD, "42")

    moves = moves_in_look(kind, PAYLOAD, "42", look=look)

    assert len(moves) == len(neutral) + kind.more_moves(PAYLOAD, look)
    assert [move for move in moves if move in neutral] == [move for move in neutral if move != SUBMIT]
    assert moves[-1] == Move(act="press", role="button", name=WORDINGS["question"].button)
