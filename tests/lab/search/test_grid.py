"""The list of episodes: every column sorts it, and the address says which are shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from tests.lab.search.test_search import episode_thought
from tests.lab.search.test_search_page import page_of
from trajectories.lab.grid.episodes import EPISODES
from trajectories.lab.search import page as pages
from trajectories.models import Submission

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


def test_every_column_of_episodes_sorts_both_ways_page_by_page(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "HITS_PER_PAGE", 2)
    made = [
        episode_thought(*["I verify it."] * (1 + number % 2), policy_version=number or None)
        for number in range(4)
    ]
    everything = {(one.pk, None) for one in [*made, factories.episode()]}
    client = lab(annotator)
    for column in (one for one in EPISODES.columns if one.sort):
        orders = []
        for sign in ("", "-"):
            html, seen = page_of(client, f"?sort={sign}{column.id}"), []
            while True:
                seen += [int(pk) for pk in re.findall(r"data-hit\s+href=\"/episodes/(\d+)/\"", html)]
                older = re.search(r'rel="next"\s+href="([^"]+)"', html)
                if not older:
                    break
                html = page_of(client, older.group(1).replace("&amp;", "&").removeprefix("/search"))
            assert {(pk, None) for pk in seen} == everything, column.id
            assert len(seen) == len(everything), column.id
            orders.append(seen)
        assert orders[0] == orders[1][::-1], column.id


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
