"""The preview beside a list: opened and moved with keys or buttons, the focus stays in the list."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e import axe
from tests.e2e.test_lab_pages import settled

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]


def test_a_preview_follows_the_rows_and_gives_the_focus_back(lab_page: Callable[..., Page]) -> None:
    task = factories.task(answer="8", payload={"text": "How much is 2 cubed?"})
    older, newer = (factories.episode(task=task) for _ in range(2))
    for episode, answer in ((older, "8"), (newer, "7")):
        factories.step(episode, 1, thought=f"It is {answer}.")
        factories.submission(episode, answer)
        factories.verdict(episode, "correct" if answer == "8" else "incorrect")
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto("/search")
    settled(page)
    panel = page.get_by_role("complementary", name="Preview")
    row = {one.pk: page.get_by_role("link", name=str(one.pk), exact=True) for one in (older, newer)}

    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(panel.get_by_role("heading", name=f"Episode {newer.pk}")).to_be_visible()
    expect(panel).to_contain_text("It is 7.")
    page.keyboard.press("s")
    expect(panel.get_by_role("img", name="differs from")).to_be_visible()
    assert axe.violations(page) == []
    row[newer.pk].focus()
    page.keyboard.press("j")
    expect(panel).to_contain_text("It is 8.")
    expect(row[older.pk]).to_be_focused()
    panel.get_by_role("button", name="Previous row").click()
    expect(panel).to_contain_text("It is 7.")
    page.keyboard.press("p")
    expect(panel).to_be_hidden()

    page.get_by_role("button", name="Preview").click()
    panel.get_by_role("button", name="Close").focus()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(row[newer.pk]).to_be_focused()
