"""The list of episodes: every column sorts it, and the address says which are shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from tests.lab.search.test_search import episode_thought
from tests.lab.search.test_search_page import page_of
from trajectories.lab.search.selectors import Search, search_page
from trajectories.models import Submission
from trajectories.shell.grid.episodes import EPISODES
from trajectories.shell.grid.view import Sort

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


def ids_in(sort: Sort) -> list[int]:
    """All episodes, read two at a time."""
    ids: list[int] = []
    after = None
    while True:
        page = search_page(Search(filters={}, sort=sort), after=after, limit=2)
        ids += [row.pk for row in page.hits]
        after = page.older
        if after is None:
            return ids


def test_every_column_of_episodes_sorts_both_ways_page_by_page() -> None:
    made = [
        episode_thought(*["I verify it."] * (1 + number % 2), policy_version=number or None)
        for number in range(4)
    ]
    everything = sorted(one.pk for one in [*made, factories.episode()])
    for column in (one for one in EPISODES.columns if one.is_sortable):
        up, down = (ids_in(Sort(column=column, is_descending=is_down)) for is_down in (False, True))
        assert sorted(up) == everything, column.id
        assert up == down[::-1], column.id


def test_a_chosen_column_is_shown_and_stays_chosen_in_every_address(lab: Lab, annotator: User) -> None:
    episode = episode_thought("I verify it, at length.")
    Submission.objects.create(episode=episode, answer="an <b>answer</b>", channel="page")
    html = page_of(lab(annotator), "?outcome=correct&columns=answer,thought_words&sort=steps")
    assert "an &lt;b&gt;answer&lt;/b&gt;" in html
    assert ">Words per thought<" in html.replace("\n", "").replace("  ", "")
    assert 'data-label="Arm"' not in html
    columns = "columns=episode%2Canswer%2Cthought_words"
    assert f'href="/search?sort=steps&amp;{columns}"' in html  # without the filter
    assert f"/search?outcome=correct&amp;sort=-thought_words&amp;{columns}" in html
    response = lab(annotator).get("/search?columns=answer&columns=arm")
    assert (response.status_code, response["Location"]) == (302, "/search?columns=episode%2Canswer%2Carm")
