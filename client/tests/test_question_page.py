"""The controls of a question page, as scripted policies see them."""

from __future__ import annotations

from palaestra.observation import Observation
from palaestra.policies.question_page import page_read

PANEL = """region "Tools"
  heading "Tools" level=2
  form "Calculator"
    [e5] textbox "Calculation" value=""
    [e6] button "Calculate\""""
FORM = """[e2] textbox "Your answer" value=""
[e3] button "Submit answer\""""
DIALOG = """dialog "Answer"
  [e2] textbox "Your answer" value=""
  [e3] button "Submit answer\""""


def read(*parts: str) -> tuple[list[str], str | None]:
    page = page_read(Observation(kind="axtree-v2", text="\n".join(parts)))
    return page.fields, page.submit


def test_the_forms_of_a_panel_do_not_take_the_answer() -> None:
    assert read(FORM, PANEL) == read(FORM) == (["e2"], "e3")


def test_a_panel_does_not_hide_the_button_that_opens_the_form() -> None:
    assert read('[e1] button "Answer"', PANEL) == ([], "e1")


def test_a_form_in_a_dialog_counts_before_those_of_a_panel() -> None:
    assert read('[e1] button "Answer"', DIALOG, PANEL) == (["e2"], "e3")
