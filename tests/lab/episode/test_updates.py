"""How long a page of the lab waits for further steps."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories
from tests.lab.test_pages import Lab
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Episode

pytestmark = pytest.mark.django_db


def test_a_judged_episode_that_is_never_closed_is_followed_for_30_seconds(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    path = f"/episodes/{episode.pk}/progress"
    assert 'data-live-state="ending"' in lab(owner).get(path).content.decode()
    Episode.objects.filter(pk=episode.pk).update(finished_at=timezone.now() - timedelta(seconds=31))
    html = lab(owner).get(path).content.decode()
    assert "hx-trigger" not in html
    assert 'data-live-state="ended"' in html
    assert "No steps were posted." in html


def test_a_judged_episode_without_steps_waits_for_one_until_it_is_closed(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    path = f"/episodes/{episode.pk}/progress"
    html = lab(owner).get(path).content.decode()
    assert 'id="latest"' in html
    assert "Judged. Waiting up to 30 s for a last step: the client has not closed the episode." in html
    assert "No steps were posted." not in html
    Episode.objects.filter(pk=episode.pk).update(closed_at=timezone.now())
    html = lab(owner).get(path).content.decode()
    assert 'id="latest"' in html
    assert "No steps were posted." in html


def test_a_verdict_updates_every_part_of_the_page_that_shows_the_outcome(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.verdict(episode, "incorrect")
    html = lab(owner).get(f"/episodes/{episode.pk}/progress").content.decode()
    assert 'data-live-label="Judged"' in html
    assert 'data-live-reason="Waiting up to 30 s for a last step' in html
    assert "More steps appear here" not in html
    outcome = re.search(r'<span id="outcome"[^>]*hx-swap-oob="morph".*?incorrect', html, re.DOTALL)
    about = re.search(r'<aside id="about-episode"[^>]*hx-swap-oob="morph".*?Finished', html, re.DOTALL)
    assert outcome
    assert about


def test_an_ended_episode_without_steps_shows_its_outcome(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.verdict(episode, "void", "cancelled")
    Episode.objects.filter(pk=episode.pk).update(finished_at=timezone.now() - timedelta(days=1))
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    shown = html[html.index('<span id="outcome"') : html.index("</main>")]
    assert "void" in shown[:400]
    assert "hx-swap-oob" not in html
    assert html.count('id="about-episode"') == 1


def test_newly_computed_measures_are_news(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    factories.verdict(episode)
    client = lab(owner)
    match = re.search(
        r'hx-get="([^"]+/news\?[^"]+)"', client.get(f"/episodes/{episode.pk}/steps/1").content.decode()
    )
    assert match
    again = unescape(match[1])
    assert client.get(again).status_code == 204
    facts_compute([episode.pk])
    assert client.get(again).status_code == 200


def test_the_closing_of_an_episode_is_news(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.verdict(episode)
    client, path = lab(owner), f"/episodes/{episode.pk}/news"
    match = re.search(r'hx-get="([^"]+)"', client.get(path).content.decode())
    assert match
    again = unescape(match[1])
    assert client.get(again).status_code == 204
    Episode.objects.filter(pk=episode.pk).update(closed_at=timezone.now())
    assert "Closed: measures follow" in client.get(again).content.decode()


def test_a_run_without_open_episodes_is_not_live(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    path = f"/runs/{episode.run_id}/live"
    assert 'data-live-label=""' in lab(owner).get(path).content.decode()
    ended = factories.episode()
    factories.verdict(ended)
    assert 'data-live-label="Idle"' in lab(owner).get(f"/runs/{ended.run_id}/live").content.decode()


def test_a_closed_episode_is_followed_until_its_verdict(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    Episode.objects.filter(pk=episode.pk).update(closed_at=timezone.now())
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert 'data-live-state="open"' in html
    assert f'data-live="ws://testserver:8002/ws/episodes/{episode.pk}/"' in html


def test_a_missing_step_that_arrives_refreshes_the_page(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    for index in (1, 3):
        factories.step(episode, index)
    client, path = lab(owner), f"/episodes/{episode.pk}/progress"
    match = re.search(r'hx-get="([^"]+)"', client.get(path).content.decode())
    assert match
    again = unescape(match[1])
    assert client.get(again).status_code == 204
    factories.step(episode, 2)
    assert client.get(again).status_code == 200


def test_the_tail_of_a_long_episode_is_its_last_steps(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    for index in range(1, 62):
        factories.step(episode, index)
    client = lab(owner)
    whole = client.get(f"/episodes/{episode.pk}/").content.decode()
    assert 'data-live-latest="?tail=1#latest"' in whole
    assert ('id="step-1"' in whole, 'id="step-51"' in whole) == (True, False)
    tail = client.get(f"/episodes/{episode.pk}/?tail=1").content.decode()
    assert 'data-live-latest="#latest"' in tail
    assert ('id="step-11"' in tail, 'id="step-12"' in tail, 'id="step-61"' in tail) == (False, True, True)
    assert "From the first step" in tail
    assert "&amp;tail=1" in tail


@pytest.mark.parametrize("path", ["progress", "?tail=1", "?first=2"])
def test_following_an_episode_takes_a_fixed_number_of_queries(
    lab: Lab, owner: User, path: str, django_assert_num_queries: Any
) -> None:
    client = lab(owner)
    short, long = factories.episode(), factories.episode()
    for episode, steps in ((short, 2), (long, 60)):
        for index in range(1, steps + 1):
            factories.step(episode, index)
    with CaptureQueriesContext(connection) as few:
        client.get(f"/episodes/{short.pk}/{path}")
    with django_assert_num_queries(len(few)):
        client.get(f"/episodes/{long.pk}/{path}")


@pytest.mark.parametrize(("name", "page"), [("progress", ""), ("news", "steps/1")])
@pytest.mark.parametrize("ended", [False, True])
def test_polling_for_news_reads_neither_task_nor_run(
    lab: Lab, owner: User, name: str, page: str, ended: bool
) -> None:
    episode = factories.episode()
    factories.step(episode, 1)
    client = lab(owner)
    match = re.search(
        rf'hx-get="([^"]+/{name}\?[^"]+)"', client.get(f"/episodes/{episode.pk}/{page}").content.decode()
    )
    assert match
    if ended:
        factories.verdict(episode)
    with CaptureQueriesContext(connection) as queries:
        response = client.get(unescape(match[1]))
    assert response.status_code == (200 if ended else 204)
    if name == "news" or not ended:
        assert [one["sql"] for one in queries if "tasks_app_" in one["sql"] or "_run" in one["sql"]] == []
        # The episode, its steps twice at most, its verdict with it, its measures once it has ended; who asks;
        # no value by a query of its own.
        assert len([one for one in queries if 'FROM "trajectories_' in one["sql"]]) <= 3 + ended
