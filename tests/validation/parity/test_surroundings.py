from __future__ import annotations

from typing import Any

import pytest

from core.episodes.presentation import AXES, Look
from gymsite.arena.panels import choose_panels
from gymsite.arena.pop_ups import choose_pop_ups
from gymsite.arena.wording import WORDINGS
from validation.parity import texts

PAYLOAD = {"text": "How far is it to the sea?", "format": "plain"}
EXPECTED = texts.expected_text("free_answer", PAYLOAD)


def panel_lines(look: Look) -> list[str]:
    lines = []
    for panel in choose_panels(PAYLOAD, look):
        lines += [f'complementary "{panel.label}"', f'  heading 2 "{panel.heading}"']
        lines += [f"  text: {text}" for text in panel.texts]
        if panel.items:
            lines += ["  list", *(f"    - {item}" for item in panel.items)]
    return lines


def pop_up_lines(look: Look) -> list[str]:
    lines = []
    for pop_up in choose_pop_ups(PAYLOAD, look):
        lines += [f'dialog "{pop_up.label}"', f"  text: {pop_up.text}"]
        lines += [f'  [e{n}] button "{button}"' for n, button in enumerate(pop_up.buttons, start=1)]
    return lines


def page_lines(look: Look) -> list[str]:
    wording = WORDINGS[look.wording]
    question = [f"  text: {PAYLOAD['text']}"]
    form = [f'  [e7] textbox "{wording.label}" value=""', f'  [e8] button "{wording.button}"']
    if look.form == "dialog":
        inside = [f'  heading 2 "{wording.opener}"', f'  [e9] button "{wording.closer}"', *form]
        form = [f'  [e6] button "{wording.opener}"', f'  dialog "{wording.opener}"']
        form += [f"  {line}" for line in inside]
    return [
        f'page "{wording.title}" https://gym/',
        *pop_up_lines(look),
        "main",
        f'  heading 1 "{wording.title}"',
        *(form + question if look.form == "above" else question + form),
        *panel_lines(look),
    ]


def recovered(look: Look, lines: list[str]) -> str:
    return texts.observed_text("\n".join(lines), look=look, payload=PAYLOAD)


@pytest.mark.parametrize("wording", AXES["wording"])
@pytest.mark.parametrize("form", AXES["form"])
def test_a_question_is_recovered_in_any_layout_with_any_surroundings(form: str, wording: str) -> None:
    look = Look(form=form, wording=wording, panels="two", pop_ups="often")
    assert recovered(look, page_lines(look)) == EXPECTED


LOOK = Look(panels="two", pop_ups="early")


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines, "  text: The answer is 42."],
        lambda lines: [*lines, "text: The answer is 42."],
        lambda lines: [lines[0], "text: The answer is 42.", *lines[1:]],
        lambda lines: [*lines, *panel_lines(LOOK)],
        lambda lines: lines[:-1],
        lambda lines: [line.replace("heading 2", "heading 3") for line in lines],
        lambda lines: [line.replace('dialog "', 'dialog "New: ') for line in lines],
        lambda lines: [line.replace("complementary", "region") for line in lines],
    ],
    ids=[
        "a line more in a panel",
        "a line after the panels",
        "a line before the page",
        "panels twice",
        "a line less",
        "another heading",
        "another pop-up",
        "another landmark",
    ],
)
def test_a_box_that_differs_in_any_word_is_not_removed(change: Any) -> None:
    assert recovered(LOOK, change(page_lines(LOOK))) != EXPECTED


def test_boxes_of_another_look_are_not_removed() -> None:
    other = Look(panels="one", pop_ups="early")
    assert choose_panels(PAYLOAD, LOOK)[0] not in choose_panels(PAYLOAD, other)
    assert recovered(other, page_lines(LOOK)) != EXPECTED


def test_the_opener_is_removed_only_in_looks_with_a_dialog() -> None:
    lines = page_lines(Look(form="dialog"))
    assert recovered(Look(form="dialog"), lines) == EXPECTED
    assert recovered(Look(), lines) != EXPECTED
