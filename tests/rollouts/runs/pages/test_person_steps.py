"""The share of people's steps on the page of a run."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import factories
from trajectories.models import Episode
from trajectories.rollouts.runs.pages import dashboard_selectors

pytestmark = pytest.mark.django_db


def test_a_run_shows_which_share_of_its_steps_people_did(client: Client) -> None:
    client.force_login(User.objects.create(username="reader"))
    run = factories.run()
    episode, taken = factories.episode(run=run), factories.episode(run=run)
    for index in (1, 2):
        factories.step(episode, index)
        factories.step(taken, index)
    assert dashboard_selectors.person_share(run.pk) is None
    Episode.objects.filter(pk=taken.pk).update(is_taken_over=True, person_steps=1)
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "People acted in 1 episode: 1 of 4 steps, 25.0%." in " ".join(page.split())
