"""What the command palette finds, and what it costs."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.lab.test_pages import Lab

pytestmark = pytest.mark.django_db

LINK = re.compile(r'href="([^"]+)"')
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def addresses(lab: Lab, user: User, words: str) -> list[str]:
    return LINK.findall(lab(user).get("/palette", {"q": words}).content.decode().replace("<use href", ""))


def test_a_number_leads_to_the_episode_run_and_task_of_that_number(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    assert f"/episodes/{episode.pk}/" in addresses(lab, annotator, f"#{episode.pk}")
    assert f"/runs/{episode.run_id}/" in addresses(lab, annotator, f"#{episode.run_id}")
    assert f"/tasks/{episode.task_id}/" in addresses(lab, annotator, str(episode.task_id))


def test_words_find_runs_by_name_or_model_reports_and_tasks(lab: Lab, annotator: User) -> None:
    run = factories.run(name="Evening sweep", model="qwen3-8b")
    report = factories.report(name="Gap of the sweep")
    task = factories.task(prompt="How far does the chimney sweep walk?")
    expected = [f"/runs/{run.pk}/", f"/reports/{report.pk}/", f"/tasks/{task.pk}/"]
    assert addresses(lab, annotator, "sweep") == expected
    assert addresses(lab, annotator, "QWEN3") == expected[:1]


def test_without_words_the_newest_runs_are_listed(lab: Lab, annotator: User) -> None:
    runs = [factories.run().pk for _ in range(7)]
    assert addresses(lab, annotator, " ") == [f"/runs/{pk}/" for pk in reversed(runs[2:])]


@pytest.mark.parametrize(
    "words", ["0" * 30, "#", "#9" + "9" * 18, "' OR 1=1", '"', "%", "\\", "-a", "x" * 5000]
)
def test_nonsense_finds_nothing(lab: Lab, annotator: User, words: str) -> None:
    factories.episode()
    assert addresses(lab, annotator, words) == []


def test_many_matches_take_no_more_queries_than_none(lab: Lab, annotator: User) -> None:
    client = lab(annotator)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get("/palette", {"q": "7"})
        return len(queries)

    few = count()
    for number in range(9):
        factories.episode(run=factories.run(name=f"Run 7 {number}"), task=factories.task(prompt="7 apples"))
    assert count() == few


def test_text_that_others_wrote_stays_text(lab: Lab, annotator: User) -> None:
    run = factories.run(name=HOSTILE)
    html = lab(annotator).get("/palette", {"q": f"#{run.pk}"}).content.decode()
    assert "&lt;img" in html
    assert "<img" not in html
    assert "\u202e" not in html
