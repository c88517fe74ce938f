"""What the sentences of thoughts do, on the pages of an episode and of a step."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.lab.test_pages import Lab
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Episode, StepFacts

pytestmark = pytest.mark.django_db
HOSTILE = "12 * 8 = 96.\n<img src=x onerror=alert(1)></span> is the page.\nI will click Send."


def spoken(*thoughts: str) -> Episode:
    episode = factories.episode()
    for index, thought in enumerate(thoughts, 1):
        factories.step(episode, index, thought=thought)
    factories.verdict(episode)
    facts_compute([episode.pk])
    return episode


def test_the_sentences_of_each_step_are_stored() -> None:
    episode = spoken("12 * 8 = 96. I will click Send.", "")
    letters = StepFacts.objects.filter(episode=episode).order_by("index").values_list("sentences", flat=True)
    assert list(letters) == ["ca", ""]


def test_an_episode_has_a_bar_for_each_step_with_a_thought(lab: Lab, owner: User) -> None:
    episode = spoken("12 * 8 = 96. I will click Send.", "", "I will click Send now.")
    html = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert 'aria-label="Step 1: 1 calculates, 1 announces"' in html
    assert 'aria-label="Step 2:' not in html
    assert "3 sentences by class" in html
    assert html.count("ribbon-key sentence-calculate") == 2  # in the table and in the legend


def test_a_step_colours_its_sentences_and_escapes_them(lab: Lab, owner: User) -> None:
    episode = spoken(HOSTILE)
    html = lab(owner).get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert '<span class="sentence sentence-calculate" data-does="Calculates">12 * 8 = 96.</span>' in html
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;&lt;/span&gt;" in html


def test_a_search_in_the_thought_marks_its_matches_instead(lab: Lab, owner: User) -> None:
    html = lab(owner).get(f"/episodes/{spoken(HOSTILE).pk}/steps/1?find=click").content.decode()
    assert "<mark>click</mark>" in html
    assert "sentence-calculate" not in html


def test_before_facts_are_stored_nothing_is_coloured(lab: Lab, owner: User) -> None:
    episode = factories.episode()
    factories.step(episode, 1, thought=HOSTILE)
    assert "sentence-calculate" not in lab(owner).get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert "ribbon-title" not in lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
