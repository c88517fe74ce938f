"""A person puts words into a thought: by keyboard alone, without scripts, and at every width."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tests import factories
from tests.e2e.axe import violations
from tests.e2e.test_lab_pages import settled
from trajectories.models import Episode, Intervention

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LabPage = Callable[..., Page]
RAW = "Six baskets of seven apples.\n\nThat makes 6 * 7 = 41.\n\nAnswer: 41"
WORDS = "Six times six is 36, and six more."


@pytest.fixture
def failed(transactional_db: None) -> Episode:
    episode = factories.episode(arm="text_zero_shot", answer_channel="api", max_steps=2)
    factories.step(episode, 1, raw=RAW, thought=RAW)
    factories.verdict(episode, "incorrect")
    return episode


def test_words_are_written_by_keyboard(lab_page: LabPage, failed: Episode) -> None:
    page = lab_page(viewport={"width": 1440, "height": 900})
    page.goto(f"/episodes/{failed.pk}/steps/1")
    settled(page)
    page.get_by_text("Write an intervention").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.type(WORDS)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Interventions")).to_contain_text(WORDS)
    made = Intervention.objects.get()
    assert (made.author, made.substep) == ("owner", 2)


def test_words_are_written_without_scripts(lab_page: LabPage, failed: Episode) -> None:
    page = lab_page(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page.goto(f"/episodes/{failed.pk}/steps/1")
    page.get_by_text("Write an intervention").click()
    page.get_by_label("Replace substep").select_option("2")
    page.get_by_label("Your text").fill("So 6 * 7 is 42.")
    page.get_by_role("button", name="Save intervention").click()
    expect(page.get_by_role("alert")).to_contain_text("gives away the answer")
    expect(page.get_by_label("Your text")).to_have_value("So 6 * 7 is 42.")
    page.get_by_label("Your text").fill(WORDS)
    page.get_by_role("button", name="Save intervention").click()
    expect(page.get_by_label("Interventions")).to_contain_text(WORDS)
    assert Intervention.objects.get().substep == 2


def test_who_may_not_see_golds_reads_interventions_and_writes_none(
    lab_page: LabPage, failed: Episode, annotator: User
) -> None:
    factories.intervention(failed, text=WORDS)
    statuses = []
    for user in (annotator, None):
        page = lab_page(user=user)
        page.goto(f"/episodes/{failed.pk}/steps/1")
        expect(page.get_by_label("Interventions")).to_contain_text(WORDS)
        expect(page.get_by_text("Write an intervention")).to_have_count(int(user is None))
        token = page.locator("[name=csrfmiddlewaretoken]").first.input_value()
        form = {"substep": "2", "text": "I add.", "csrfmiddlewaretoken": token}
        answer = page.request.post(f"/episodes/{failed.pk}/steps/1/interventions", form=form)
        statuses.append((answer.status, Intervention.objects.count()))
    assert statuses == [(403, 1), (200, 2)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_the_open_form_is_within_reach_of_all(
    lab_page: LabPage, failed: Episode, width: int, scheme: str
) -> None:
    page = lab_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(f"/episodes/{failed.pk}/steps/1")
    settled(page)
    page.get_by_text("Write an intervention").click()
    assert violations(page) == []
    box = page.get_by_label("Your text").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
