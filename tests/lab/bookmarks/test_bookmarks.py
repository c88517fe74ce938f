"""Bookmarks and notes: one's own can be changed, everyone's are seen by researchers, annotators see none."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.annotation import scene
from tests.conftest import LabClient
from trajectories.lab.bookmarks import views
from trajectories.models import Episode, StepMark

pytestmark = pytest.mark.django_db
Lab = Callable[[User | None], LabClient]


@pytest.fixture
def episode() -> Episode:
    made = factories.episode()
    for index in (1, 2, 3):
        factories.step(made, index)
    return made


@pytest.fixture
def other() -> User:
    return User.objects.create_user("other")


def marks() -> list[tuple[str, int, str]]:
    return list(StepMark.objects.order_by("pk").values_list("user__username", "step", "note"))


def test_a_step_is_marked_noted_and_unmarked(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    step = f"/episodes/{episode.pk}/steps/2"
    assert client.post(f"{step}/mark", {"do": "save"})["Location"] == step
    assert marks() == [("owner", 2, "")]
    client.post(f"{step}/mark", {"do": "save", "note": " Why <b>there</b>? "})
    assert marks() == [("owner", 2, "Why <b>there</b>?")]
    page = client.get(step).content.decode()
    assert "Why &lt;b&gt;there&lt;/b&gt;?" in page
    assert 'data-marked="2"' in page
    # A button without a note changes it not.
    client.post(f"{step}/mark", {"do": "save"})
    assert marks() == [("owner", 2, "Why <b>there</b>?")]
    version = StepMark.objects.get().version
    removed = client.post(f"{step}/mark", {"do": "remove", "back": "list", "version": version})
    assert removed["Location"] == "/bookmarks/"
    assert marks() == []


def version_in(html: str) -> str:
    (version,) = set(re.findall(r'name="version" value="([^"]*)"', html))
    return version


@pytest.mark.parametrize("do", [{"do": "save", "note": "theirs & late"}, {"do": "remove"}])
def test_a_page_that_is_older_than_the_note_changes_nothing(
    lab: Lab, owner: User, episode: Episode, do: dict[str, str]
) -> None:
    client = lab(owner)
    step = f"/episodes/{episode.pk}/steps/2"
    seen = version_in(client.get(step).content.decode())
    client.post(f"{step}/mark", {"do": "save", "note": "first", "version": seen})
    answer = client.post(f"{step}/mark", {**do, "version": seen})
    assert answer.status_code == 409
    assert marks() == [("owner", 2, "first")]
    html = answer.content.decode()
    assert "changed in another tab" in html
    assert "<strong>You</strong> first" in html
    if "note" in do:
        assert ">theirs &amp; late</textarea>" in html
    part = client.post(f"{step}/mark?fragment", {**do, "version": seen}).content.decode()
    assert part.lstrip().startswith("<section")
    assert ">first</textarea>" in part
    # Sent again with what it shows now, it is done.
    assert client.post(f"{step}/mark", {**do, "version": version_in(html)}).status_code == 302
    assert marks() == ([("owner", 2, "theirs & late")] if "note" in do else [])


def test_a_note_sent_twice_is_one(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    path = f"/episodes/{episode.pk}/steps/1/mark?fragment"
    for _ in range(2):
        answer = client.post(path, {"do": "save", "note": "two\r\nlines"})
        assert answer.status_code == 200
        assert "data-is-marked" in answer.content.decode()
    assert marks() == [("owner", 1, "two\nlines")]


def test_an_episode_is_marked_as_step_0(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    page = f"/episodes/{episode.pk}/"
    assert client.post(f"{page}mark", {"do": "save", "note": "whole"})["Location"] == page
    assert marks() == [("owner", 0, "whole")]
    assert "whole</p>" in client.get(page).content.decode()
    assert 'data-marked=""' in client.get(f"{page}steps/1").content.decode()


def test_what_does_not_exist_cannot_be_marked(lab: Lab, owner: User, episode: Episode) -> None:
    client = lab(owner)
    for path in (f"/episodes/{episode.pk}/steps/9/mark", "/episodes/999999/mark"):
        assert client.post(path, {"do": "save"}).status_code == 404
    assert marks() == []


def test_notes_of_others_are_seen_and_not_changed(
    lab: Lab, owner: User, other: User, episode: Episode
) -> None:
    step = f"/episodes/{episode.pk}/steps/1"
    lab(other).post(f"{step}/mark", {"do": "save", "note": "theirs"})
    client = lab(owner)
    for path in (step, f"{step}?fragment"):
        page = client.get(path).content.decode()
        assert re.search(r"<strong>other</strong>.*theirs", page, re.DOTALL)
        assert ">theirs</textarea>" not in page
    client.post(f"{step}/mark", {"do": "remove"})
    client.post(f"{step}/mark", {"do": "save", "note": "mine"})
    assert marks() == [("other", 1, "theirs"), ("owner", 1, "mine")]


def test_the_list_has_ones_own_or_everyones_and_is_searched(
    lab: Lab, owner: User, other: User, episode: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user, step, note in ((owner, 1, "a loop"), (owner, 0, "good"), (other, 2, "Loops too")):
        StepMark.objects.create(user=user, episode_id=episode.pk, step=step, note=note)
    StepMark.objects.create(user=owner, episode_id=episode.pk + 1000, step=4, note="of a deleted one")
    client = lab(owner)

    def notes(query: str) -> list[str]:
        html = client.get(f"/bookmarks/{query}").content.decode()
        return re.findall(r'data-label="Note">([^<]*)<', html)

    assert notes("") == ["of a deleted one", "good", "a loop"]
    assert notes("?who=all&q=LOOP") == ["Loops too", "a loop"]
    assert notes(f"?who=all&episode={episode.pk}") == ["Loops too", "good", "a loop"]
    assert notes("?q=%25&episode=x&page=x") == []
    html = client.get("/bookmarks/").content.decode()
    assert "deleted since" in html
    assert f'href="/search?episodes={episode.pk}"' in html
    monkeypatch.setattr(views, "ROWS", 2)
    assert notes("?page=2") == ["a loop"]


def test_the_list_takes_as_many_queries_for_many_as_for_few(lab: Lab, owner: User, other: User) -> None:
    client = lab(owner)
    counts = []
    for _ in range(2):
        for user in (owner, other):
            StepMark.objects.create(user=user, episode_id=factories.episode().pk, step=1)
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/bookmarks/?who=all").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_annotators_and_strangers_mark_nothing(lab: Lab, episode: Episode) -> None:
    for path in (f"/episodes/{episode.pk}/mark", f"/episodes/{episode.pk}/steps/1/mark"):
        assert lab(scene.labeller(path[-8:])).post(path, {"do": "save"}).status_code == 403
        assert lab(None).post(path, {"do": "save"})["Location"].startswith("/login/")
    assert marks() == []
