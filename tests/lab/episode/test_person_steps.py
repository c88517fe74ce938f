"""A person's steps on the pages of an episode that they took over."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.lab.test_pages import Lab

pytestmark = pytest.mark.django_db


def test_a_persons_steps_say_which_part_they_are(lab: Lab, owner: User) -> None:
    episode = factories.episode(is_taken_over=True, person_steps=2, max_steps=8)
    factories.step(episode, 1)
    for index, segment in enumerate(("recovery", "correction"), start=2):
        factories.step(episode, index, actor="person", segment=segment, observation_text="page")

    client = lab(owner)
    html = client.get(f"/episodes/{episode.pk}/").content.decode()
    own, persons = (client.get(f"/episodes/{episode.pk}/steps/{index}").content.decode() for index in (1, 2))

    assert "person, recovery" in html
    assert "person, correction" in html
    assert "3 in all, 2 of them by a person; at most 8 by the agent" in " ".join(html.split())
    assert "what the model saw" in own
    assert "what the model saw" not in persons
