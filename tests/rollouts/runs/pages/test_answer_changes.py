"""What checking did to first answers, on the pages of a run and of an episode."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Episode
from trajectories.reports.run_tallies import AnswerChanges, answer_changes

pytestmark = pytest.mark.django_db
GIVEN = {(False, True): 3, (True, False): 1, (True, True): 2, (False, False): 1}


def judged(
    run: object, *, first: bool | None, second: bool, check: str = "given", **fields: object
) -> Episode:
    episode = factories.episode(run=run, answer_check=check, **fields)
    metrics = {} if first is None else {"first_answer_correct": float(first)}
    factories.verdict(episode, "correct" if second else "incorrect", metrics=metrics)
    return episode


def test_changes_are_counted_by_arm_of_judged_plain_episodes() -> None:
    run = factories.run(settings={"answer_check": "once"})
    for (first, second), count in GIVEN.items():
        for _ in range(count):
            judged(run, first=first, second=second)
    judged(run, first=None, second=True)
    judged(run, first=True, second=True, guidance={"kind": "hint"})
    judged(run, first=True, second=True, arm="text_agent", answer_channel="api")
    factories.verdict(factories.episode(run=run, answer_check="requested"), "void", "agent_lost")
    judged(factories.run(), first=None, second=True, check="")
    assert answer_changes(run_id=run.pk) == [
        AnswerChanges("gym", 3, 1, 2, 1, 1),
        AnswerChanges("text_agent", 0, 0, 1, 0, 0),
    ]


def test_the_page_of_a_run_shows_them_where_answers_are_checked(lab: Lab, annotator: User) -> None:
    checked, plain = factories.run(settings={"answer_check": "once"}), factories.run()
    judged(checked, first=True, second=False)
    judged(plain, first=None, second=True, check="")
    assert "Right to wrong" in lab(annotator).get(f"/runs/{checked.pk}/").content.decode()
    assert "Right to wrong" not in lab(annotator).get(f"/runs/{plain.pk}/").content.decode()


def test_the_page_of_an_episode_shows_both_answers(lab: Lab, annotator: User) -> None:
    episode = factories.episode(answer_check="due")
    factories.submission(episode, "41<")
    factories.submission(episode, "42", number=2)
    factories.verdict(episode, metrics={"first_answer_correct": 0.0})
    page = " ".join(lab(annotator).get(f"/episodes/{episode.pk}/").content.decode().split())
    assert "41&lt;" in page
    assert "incorrect, before its check" in page
