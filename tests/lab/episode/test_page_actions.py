"""Episodes that another browser played: what their pages recorded, in the lab."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.lab.test_pages import Lab
from trajectories.models import Episode, PageEvent, PageEventTally

pytestmark = pytest.mark.django_db
HOSTILE = "<img src=x onerror=alert(1)>"
BUTTON = {"role": "button", "name": HOSTILE, "element": "1/3", "trusted": True}


def played(*, step: int | None = None, answers: int = 1) -> Episode:
    episode = factories.episode()
    events: list[tuple[str, float, dict[str, Any]]] = [
        ("load", 20, {"path": "", "origin": time.time() * 1000})
    ]
    for number in range(answers):
        field = {"role": "textbox", "name": "Your answer", "element": f"1/2/{number}", "value": "162"}
        events += [("input", 1_000 + number, field)]
    events += [("click", 9_000, BUTTON)]
    for seq, (kind, at_ms, data) in enumerate(events, 1):
        PageEvent.objects.create(
            episode=episode, page="page1", seq=seq, kind=kind, at_ms=at_ms, data=data, step=step
        )
    PageEventTally.objects.create(episode=episode, events=len(events), gestures=1, fields=answers)
    return episode


def test_an_episode_without_steps_shows_what_its_pages_recorded(lab: Lab, owner: User) -> None:
    html = lab(owner).get(f"/episodes/{played().pk}/").content.decode()
    assert "Recorded by the page" in html
    assert "2 page actions" in html
    assert "2 of at most 8 steps used" in html
    assert "No steps were posted" not in html
    assert "textbox “Your answer”" in html
    assert HOSTILE not in html


def test_steps_of_a_harness_are_shown_instead(lab: Lab, owner: User) -> None:
    episode = played()
    factories.step(episode, 1)
    assert "Recorded by the page" not in lab(owner).get(f"/episodes/{episode.pk}/").content.decode()


def test_an_episode_that_nobody_has_begun_has_no_steps_yet(lab: Lab, owner: User) -> None:
    html = lab(owner).get(f"/episodes/{factories.episode().pk}/").content.decode()
    assert "No steps yet" in html
    assert "Recorded by the page" not in html


def test_an_action_has_a_page_with_its_events_and_its_neighbours(lab: Lab, owner: User) -> None:
    episode = played()
    html = lab(owner).get(f"/episodes/{episode.pk}/actions/2").content.decode()
    assert "Page action 2" in html
    assert f'href="/episodes/{episode.pk}/actions/1"' in html
    assert f'href="/episodes/{episode.pk}/actions/3"' in html
    assert "None of this episode&#x27;s pages was recorded." in html
    assert lab(owner).get(f"/episodes/{episode.pk}/actions/3/dom").status_code == 404
    assert lab(owner).get(f"/episodes/{episode.pk}/actions/4").status_code == 404


def test_queries_do_not_grow_with_the_actions(lab: Lab, owner: User) -> None:
    counts = []
    for answers in (1, 6):
        episode = played(answers=answers)
        client = lab(owner)
        with CaptureQueriesContext(connection) as queries:
            html = client.get(f"/episodes/{episode.pk}/").content.decode()
        assert f"{answers + 1} page actions" in html
        counts.append(len(queries))
    assert counts[0] == counts[1]
