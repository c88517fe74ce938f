from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from core.episodes.presentation import Look
from tasks_app.questions import questions
from tests import factories
from tests.arena.test_pages import Outline, page
from tests.conftest import ArenaClient
from trajectories.models import Episode, Submission

Address = Callable[..., str]
TEXTS = ("Copper <wire>", "A dry sponge\nwith a hole", "Both A and B", "Glass")
PAYLOAD: dict[str, Any] = {
    "text": "Which of them carries a current?",
    "format": "plain",
    "choices": [{"label": label, "text": text} for label, text in zip("ABCD", TEXTS, strict=True)],
    "order": "fixed",
}
PICTURES = [
    {"name": f"figure-{k}", "sha256": f"{k}" * 64, "content_type": "image/png", "width": 40 * k, "height": 30}
    for k in (1, 2, 3)
]


def choice_episode(payload: dict[str, Any] | None = None, **fields: Any) -> Episode:
    task = factories.task(kind="choice", payload={**PAYLOAD, **(payload or {})})
    return factories.episode(task=task, **fields)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_each_choice_is_one_radio_with_its_label_and_none_is_chosen(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(choice_episode()))
    outline = Outline(html)

    radios = outline.all("input")
    assert [(radio["type"], radio["name"], radio["value"]) for radio in radios] == [
        ("radio", "answer", label) for label in "ABCD"
    ]
    assert not [radio for radio in radios if "checked" in radio]
    assert re.findall(r"<legend>(.*?)</legend>", html)
    assert "A. Copper &lt;wire&gt; B. A dry sponge with a hole C. Both A and B D. Glass" in words(html)
    assert [button["type"] for button in outline.all("button")] == ["submit"]


def test_no_look_asks_for_a_choice_to_be_written(arena_client: ArenaClient, address: Address) -> None:
    html = page(arena_client, address(choice_episode(presentation=Look(wording="prompt").as_dict())))

    assert re.findall(r"<legend>(.*?)</legend>", html) == ["Choose your answer"]


def test_an_episode_with_another_order_shows_the_texts_under_other_labels(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(choice_episode(variation={"order": [3, 0, 1, 2]})))

    assert "A. Glass B. Copper &lt;wire&gt; C. A dry sponge with a hole D. Both A and B" in words(html)


def test_a_passage_stands_before_the_question_in_a_section_of_its_own(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(choice_episode({"passage": "Metals conduct."})))

    assert Outline(html).all("section")[0]["aria-label"] == "Passage"
    assert html.index("Metals conduct.") < html.index(PAYLOAD["text"])


def test_pictures_stand_where_the_text_and_the_choices_place_them(
    arena_client: ArenaClient, address: Address
) -> None:
    choices = [{"label": "A", "text": "<image 2>"}, {"label": "B", "text": "Neither <image 9>"}]
    payload = {"text": "See <image 1> and choose.", "choices": choices, "pictures": PICTURES}

    html = page(arena_client, address(choice_episode(payload)))

    images = Outline(html).all("img")
    assert [image["src"] for image in images] == [f"pictures/figure-{k}" for k in (3, 1, 2)]
    assert [image["alt"] for image in images] == ["Figure 3", "Figure 1", "Figure 2"]
    assert [(image["width"], image["height"]) for image in images] == [
        ("120", "30"),
        ("40", "30"),
        ("80", "30"),
    ]
    assert html.index("See") < html.index("figure-1") < html.index("and choose.")
    assert "B. Neither &lt;image 9&gt;" in words(html)


def test_formulas_in_choices_are_drawn(arena_client: ArenaClient, address: Address) -> None:
    choices = [{"label": "A", "text": r"$\frac{1}{2}$"}, {"label": "B", "text": "two"}]

    html = page(arena_client, address(choice_episode({"format": "latex", "choices": choices})))

    assert r'role="math" aria-label="\frac{1}{2}"' in html
    assert "katex.min.js" in html


def test_submitting_no_choice_shows_the_error_at_the_choices(submit: Callable[..., Any]) -> None:
    answer = submit(choice_episode(), "")

    html = answer.content.decode()
    (group,) = Outline(html).all("fieldset")
    assert answer.status_code == 422
    assert (group["aria-invalid"], group["aria-describedby"]) == ("true", "answer-error")
    assert 'id="answer-error">Give an answer first.' in html


def test_the_chosen_label_is_the_answer(submit: Callable[..., Any]) -> None:
    episode = choice_episode()

    assert submit(episode, "answer=C").status_code == 303
    assert Submission.objects.get(episode=episode).answer == "C"


def test_an_episode_answered_through_the_api_shows_its_choices_without_a_form(
    arena_client: ArenaClient, address: Address
) -> None:
    html = page(arena_client, address(choice_episode(answer_channel="api")))

    assert Outline(html).all("form") == []
    assert Outline(html).all("input") == []
    assert PAYLOAD["text"] in html
    for choice in PAYLOAD["choices"]:
        assert f'<span class="choice-label">{choice["label"]}.</span>' in html


def test_the_text_has_passage_pictures_question_and_lettered_choices() -> None:
    choices = [{"label": "1", "text": "<image 2>"}, {"label": "2", "text": "None"}]
    payload = {**PAYLOAD, "passage": "Read.", "choices": choices, "pictures": PICTURES[:2]}

    assert questions.get("choice").text(payload) == (
        f"Read.\n\n![Figure 1](blob:{'1' * 64})\n\nWhich of them carries a current?\n\n"
        f"1. ![Figure 2](blob:{'2' * 64})\n2. None"
    )


def test_a_client_selects_by_position_and_presses_the_last_button() -> None:
    kind = questions.get("choice")

    chosen, pressed = kind.moves(PAYLOAD, "C")

    assert (chosen.act, chosen.role, chosen.name, chosen.place) == ("choose", "radio", None, 2)
    assert (pressed.act, pressed.role, pressed.place) == ("press", "button", -1)
    with pytest.raises(ValueError, match="'E' is not in list"):
        kind.moves(PAYLOAD, "E")
