"""Taking over from the page of a step."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client

from core.errors import GymError
from tasks_app.models import Gold
from tests import factories
from trajectories.models import Episode, GuidanceText, Run, SiteEvent, Takeover
from trajectories.rollouts.episodes import takeovers

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client) -> Client:
    client.force_login(User.objects.create(username="owner", is_staff=True))
    return client


def played() -> Episode:
    episode = factories.episode()
    Gold.objects.filter(task=episode.task).update(created_at=F("created_at") - timedelta(days=1))
    SiteEvent.objects.create(episode=episode, seq=1, step=None, kind="page_served", data={"path": ""})
    for index in (1, 2):
        factories.step(
            episode,
            index,
            observation_kind="axtree-v2",
            observation_text="page",
            action_result="ok",
            more={"element_ids": f"k{index}"},
        )
    return episode


def test_an_episode_that_is_played_is_taken_over_itself(owner: Client) -> None:
    episode = played()
    page = owner.get(f"/episodes/{episode.pk}/steps/2").content.decode()
    assert "Take over" in page
    response = owner.post(f"/episodes/{episode.pk}/steps/2/takeover")
    assert response.status_code == 201
    assert "/takeover/" in response.content.decode()
    lease = Takeover.objects.get()
    assert (lease.episode_id, lease.person, lease.segment) == (episode.pk, "owner", "recovery")
    Takeover.objects.update(person="another")
    again = owner.post(f"/episodes/{episode.pk}/steps/2/takeover")
    assert again.status_code == 409
    assert "/takeover/" not in again.content.decode().split("<main")[1]


def test_an_ended_episode_is_taken_over_as_a_fork(owner: Client) -> None:
    episode = played()
    factories.verdict(episode, "incorrect")
    response = owner.post(f"/episodes/{episode.pk}/steps/1/takeover")
    assert response.status_code == 201, response.content
    lease = Takeover.objects.get()
    assert (lease.episode.parent_id, lease.begins_after) == (episode.pk, 1)


@pytest.mark.parametrize(("is_staff", "status"), [(True, 201), (False, 403)])
def test_a_guided_episode_is_taken_over_by_who_sees_golds(
    client: Client, is_staff: bool, status: int
) -> None:
    client.force_login(User.objects.create(username="reader", is_staff=is_staff))
    episode = played()
    factories.verdict(episode, "incorrect")
    text = GuidanceText.objects.create(sha256="ab", text="Multiply.")
    place = {"message": 1, "part": None, "start": 0, "end": 9}
    Episode.objects.update(guidance={"kind": "hint", "hash": text.pk, **place})
    assert client.post(f"/episodes/{episode.pk}/steps/1/takeover").status_code == status
    assert Takeover.objects.count() == int(is_staff)


@pytest.mark.parametrize("change", [{"observation": "screenshot-v2"}, {"grammar": "browsergym"}])
def test_a_takeover_that_is_refused_leaves_no_fork(owner: Client, change: dict[str, str]) -> None:
    episode = played()
    Run.objects.filter(pk=episode.run_id).update(**change)
    factories.verdict(episode, "incorrect")
    response = owner.post(f"/episodes/{episode.pk}/steps/1/takeover")
    assert response.status_code == 422
    assert "cannot be taken over" in response.content.decode()
    assert list(Episode.objects.all()) == [episode]


def test_what_fails_after_the_fork_takes_it_back(owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise GymError("taken_over", "No.", status=409)

    episode = played()
    factories.verdict(episode, "incorrect")
    monkeypatch.setattr(takeovers, "takeover_begin", refuse)
    assert owner.post(f"/episodes/{episode.pk}/steps/1/takeover").status_code == 409
    assert list(Episode.objects.all()) == [episode]


def test_a_stranger_takes_nothing_over(client: Client) -> None:
    episode = played()
    assert client.post(f"/episodes/{episode.pk}/steps/1/takeover").status_code == 302
    assert not Takeover.objects.exists()
