"""The pages of judges and learned rewards, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.annotation import scene as labels
from tests.e2e import axe
from tests.judges import scene
from tests.judges.run_rewards.scene import stored
from tests.judges.run_rewards.test_rewards import BY_JUDGE
from tests.judges.test_certification import drawn, episodes, graded, label_all
from tests.rewards.learned import planted
from trajectories.judges.certification import judge_certify
from trajectories.models import Episode, JudgeAttack

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]
LabPage = Callable[..., Page]
FIGURES = {"raised": 8, "low": 0.1, "high": 0.4, "alone": 8, "control_alone": 0, "is_raising": True}


def test_the_pages_are_readable_in_either_colour_on_a_phone_and_without_scripts(lab_page: LabPage) -> None:
    episodes(12)
    judge, person = graded(lambda *_: scene.grade("yes")), labels.labeller("one")
    drawn(judge, person, units=12)
    label_all(judge, person)
    judge_certify(judge)
    JudgeAttack.objects.create(
        judge=judge, criterion="grounded", is_open=True, attempts=40, is_fooled=True,
        figures=[{"text": "plea", **FIGURES}],
    )  # fmt: skip
    model = planted.stored(low=0.7)
    judged = f"/runs/{Episode.objects.latest('pk').run_id}/rewards/?profile={stored(BY_JUDGE)}"
    learned = ("/rewards/learned/", f"/rewards/learned/{model.id}/")
    paths = ("/judges/", f"/judges/{judge.pk}/", *learned, judged)
    for width, colours in ((1280, "light"), (390, "dark")):
        page = lab_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        for path in paths:
            page.goto(path)
            page.wait_for_selector("html[data-settled=true]", state="attached")
            assert axe.violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    page = lab_page(java_script_enabled=False)
    page.goto(judged)
    page.get_by_role("link", name="judge/strict/grounded").click()
    expect(page.get_by_role("heading", name="grounded")).to_be_visible()
    page.goto("/judges/")
    page.get_by_role("link", name="strict").click()
    expect(page.get_by_role("table", name="units for which people")).to_contain_text("true positives")
    page.get_by_label("Criterion", exact=True).select_option("grounded")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="Episode").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Episode")
    page.goto("/judges/")
    page.get_by_role("link", name="Learned rewards").click()
    page.get_by_role("link", name="words").click()
    expect(page.locator("svg.plot")).to_have_count(1)
