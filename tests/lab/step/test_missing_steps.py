"""Step numbers that were never recorded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.models import Episode
from trajectories.shell.queries import steps, timeline

pytestmark = pytest.mark.django_db
Lab = Callable[[User | None], LabClient]


@pytest.fixture
def episode() -> Episode:
    made = factories.episode(max_steps=11)
    for index in (1, 2, 5):
        factories.step(made, index)
    return made


def test_missing_step_numbers_are_named_on_the_page(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    assert b"Steps 3 to 4 were never recorded" in client.get(f"/episodes/{episode.pk}/").content
    step = client.get(f"/episodes/{episode.pk}/steps/2").content.decode()
    assert f'rel="next" href="/episodes/{episode.pk}/steps/5"' in step
    assert f'rel="prev" href="/episodes/{episode.pk}/steps/1"' in step


def test_steps_missing_between_two_parts_of_a_list_are_named(
    lab: Lab, owner: User, monkeypatch: pytest.MonkeyPatch, episode: Episode
) -> None:
    monkeypatch.setattr(steps, "STEPS_PER_PAGE", 2)
    page = lab(owner).get(f"/episodes/{episode.pk}/").content.decode()
    assert "Steps 3 to 4 were never recorded" in page


def test_the_timeline_shows_the_steps_before_and_after_a_missing_range(
    lab: Lab, owner: User, episode: Episode
) -> None:
    factories.step(episode, 10_000)
    page = lab(owner).get(f"/episodes/{episode.pk}/steps/5").content.decode()
    assert re.findall(r'<li[^>]+data-at="([0-9]+)"', page) == ["1", "2", "3", "5", "6", "10000"]
    assert "<b>9,994</b> not recorded" in page
    assert 'data-missing="3-4 6-9999"' in page


def test_a_missing_range_is_one_cell_of_the_timeline() -> None:
    missing = steps.MissingSteps(
        [steps.MissingRange(first=1, last=699), steps.MissingRange(first=702, last=9_999)]
    )
    assert missing.around(700, reach=2, last=20_000) == (1, 9_999)
    assert missing.around(10_001, reach=3, last=20_000) == (701, 10_004)
    assert missing.around(20_000, reach=1, last=20_000) == (19_999, 20_000)


def test_only_the_longest_of_too_many_missing_ranges_are_listed(
    monkeypatch: pytest.MonkeyPatch, episode: Episode
) -> None:
    monkeypatch.setattr(steps, "RANGES_MAX", 2)
    for index in (7, 100, 200):
        factories.step(episode, index)
    assert str(steps.read_missing_steps(episode_id=episode.pk, last=200, number=6)) == "8-99 101-199"


def test_an_episode_with_all_its_steps_needs_no_query(
    episode: Episode, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert str(steps.read_missing_steps(episode_id=episode.pk, last=3, number=3)) == ""


def test_the_greatest_possible_step_number_is_listed(lab: Lab, owner: User, episode: Episode) -> None:
    greatest = timeline.INDEX_MAX
    factories.step(episode, greatest)
    client = lab(owner)
    part = client.get(f"/episodes/{episode.pk}/index.json?from={greatest - 46}").json()
    assert [row[0] for row in part["steps"]] == [greatest]
    went = client.get(f"/episodes/{episode.pk}/steps/?index={greatest - 1}")
    assert went["Location"].startswith(f"/episodes/{episode.pk}/steps/{greatest}")


def test_a_step_posted_during_the_read_makes_no_missing_range(episode: Episode) -> None:
    factories.step(episode, 500)
    assert str(steps.read_missing_steps(episode_id=episode.pk, last=5, number=3)) == "3-4"
