from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings
from django.http import Http404

from gymsite.arena import site_dispatch
from gymsite.arena.sites import events
from gymsite.arena.sites.site import Change, Page, Site, Visit, route, sites
from tasks_app.worlds.keys import changes_seal, world_key
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, SiteEvent, Submission

pytestmark = pytest.mark.django_db

FIRST_DAY = "2027-03-01"
TEXT = "Write something\n- on the board\n- and here"


def board(visit: Visit) -> Page:
    return Page(template="arena/site.html", events=(("board_seen", {}),))


def write(visit: Visit, *, line: int) -> Page | Change:
    """A board on whose lines one thing can be written, and never anything over it."""
    if visit.form is None:
        return Page(template="arena/site.html")
    if line in visit.state:
        return Page(template="arena/site.html", status=409)
    return Change(
        events=(("written", {"line": line, "by": visit.form["by"]}), ("chalk_used", {})), to="?done=1"
    )


def busy(visit: Visit) -> Change:
    """Somebody else always comes first."""
    episode_id = int(visit.query["episode"])
    last = SiteEvent.objects.filter(episode_id=episode_id).count()
    SiteEvent.objects.create(episode_id=episode_id, seq=last + 1, kind="noise")
    return Change(events=(("written", {"line": 9}),), to="", conflict_to="?conflict=1")


BOARD = Site(
    id="board",
    title="The Board",
    open_world=lambda key, *, edition, first_day, changes: (key, edition, first_day, tuple(changes)),
    fold=lambda world, history: frozenset(data["line"] for kind, data in history if kind == "written"),
    urls=[route("", board), route("lines/<int:line>/", write), route("busy", busy)],
)


@pytest.fixture(autouse=True)
def _board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sites._items, "board", BOARD)


def payload(**fields: Any) -> dict[str, Any]:
    key = world_key(salt=settings.WORLD_SALT, site="board", number=5)
    return {
        "site": "board",
        "world": 5,
        "edition": "train",
        "first_day": FIRST_DAY,
        "changes": changes_seal([], key=key, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["First thing", "Second thing"],
        **fields,
    }


def episode_make(**fields: Any) -> Episode:
    task = factories.task(kind="site", payload=payload())
    return factories.episode(task=task, virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC), **fields)


def kinds(episode: Episode) -> list[str]:
    return list(SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("kind", flat=True))


@pytest.fixture
def post(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def send(episode: Episode, page: str, body: str) -> Any:
        form = "application/x-www-form-urlencoded"
        return arena_client.generic("POST", address(episode, page), body, content_type=form)

    return send


def test_the_first_page_shows_the_task_and_a_field_for_each_answer(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    page = arena_client.get(address(episode_make())).content.decode()
    assert page.count('aria-label="Task"') == 1
    assert TEXT in page
    assert [page.count(f">{label}</label>") for label in payload()["fields"]] == [1, 1]
    assert page.count('name="answer"') == 2
    assert 'action="./submit"' in page
    assert "<title>The Board</title>" in page


def test_a_deeper_page_links_back_only_relatively(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = episode_make()
    page = arena_client.get(address(episode, "lines/2/")).content.decode()
    assert 'action="../../submit"' in page
    assert address(episode) not in page


def test_no_page_reveals_the_world_or_its_key(arena_client: ArenaClient, address: Callable[..., str]) -> None:
    page = arena_client.get(address(episode_make())).content.decode()
    shown = payload()
    assert world_key(salt=settings.WORLD_SALT, site="board", number=5).hex() not in page
    assert shown["changes"] not in page


def test_pages_show_the_episodes_clock(arena_client: ArenaClient, address: Callable[..., str]) -> None:
    episode = episode_make()
    assert 'data-now="2027-03-01T09:00:30+00:00"' in arena_client.get(address(episode)).content.decode()
    assert 'data-now="2027-03-01T09:01:30+00:00"' in arena_client.get(address(episode)).content.decode()


def test_the_clock_never_leaves_the_day_of_the_world() -> None:
    start = datetime(2027, 3, 1, 9, tzinfo=UTC)
    assert site_dispatch.site_now(start=start, site_events=2) == start + 2 * site_dispatch.TICK
    assert site_dispatch.site_now(start=start, site_events=10**6) == datetime(
        2027, 3, 1, 23, 59, 30, tzinfo=UTC
    )


def test_a_repeated_look_is_recorded_once(arena_client: ArenaClient, address: Callable[..., str]) -> None:
    episode = episode_make()
    for _ in range(3):
        arena_client.get(address(episode))
    assert kinds(episode) == ["page_served", "board_seen", "page_served", "page_served"]


def test_a_change_is_stored_whole_and_leads_on(post: Callable[..., Any]) -> None:
    episode = episode_make()
    answer = post(episode, "lines/3/", "by=me")
    assert (answer.status_code, answer.headers["Location"]) == (303, "../../?done=1")
    stored = SiteEvent.objects.filter(episode=episode).order_by("seq").values_list("seq", "kind", "data")
    assert list(stored) == [(1, "written", {"line": 3, "by": "me"}), (2, "chalk_used", {})]


def test_characters_that_the_database_cannot_store_are_dropped(post: Callable[..., Any]) -> None:
    episode = episode_make()
    assert post(episode, "lines/3/", "by=m%00e").status_code == 303
    assert SiteEvent.objects.get(episode=episode, kind="written").data == {"line": 3, "by": "me"}


def test_a_change_is_visible_to_the_next_request(post: Callable[..., Any]) -> None:
    episode = episode_make()
    post(episode, "lines/3/", "by=me")
    assert post(episode, "lines/3/", "by=you").status_code == 409
    assert post(episode, "lines/4/", "by=you").status_code == 303
    assert kinds(episode).count("written") == 2


def test_a_change_that_always_loses_the_race_is_reported(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = episode_make()
    form = "application/x-www-form-urlencoded"
    path = f"{address(episode, 'busy')}?episode={episode.pk}"
    answer = arena_client.generic("POST", path, "", content_type=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "./?conflict=1")
    assert "written" not in kinds(episode)


def test_events_are_stored_only_if_none_came_since_the_caller_read() -> None:
    episode = episode_make()
    context = {"episode_id": episode.pk, "arms": ["gym"], "step": None}
    two = (("written", {"line": 1}), ("chalk_used", {}))
    assert events.events_append(seen=0, events=two, **context) == "stored"
    assert events.events_append(seen=0, events=two, **context) == "conflict"
    assert events.events_append(seen=1, events=two, **context) == "conflict"
    assert events.events_append(seen=2, events=two, **context) == "stored"
    assert kinds(episode) == ["written", "chalk_used", "written", "chalk_used"]


def test_no_event_is_stored_after_the_answer(
    post: Callable[..., Any], arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = episode_make()
    assert post(episode, "submit", "placed=1&answer=a&answer=b").status_code == 303
    assert "Answer recorded" in arena_client.get(address(episode, "lines/1/")).content.decode()
    post(episode, "lines/1/", "by=me")
    context = {"episode_id": episode.pk, "arms": ["gym"], "step": None}
    assert events.events_append(seen=1, events=(("written", {"line": 1}),), **context) == "gone"
    assert "written" not in kinds(episode)


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ("placed=1&answer=412.50&answer=L-1", ["412.50", "L-1"]),
        ("placed=1&answer=&answer=L-1", ["", "L-1"]),
        ("placed=1&answer=412.50&answer=", ["412.50", ""]),
    ],
)
def test_every_value_keeps_its_position(post: Callable[..., Any], body: str, stored: list[str]) -> None:
    episode = episode_make()
    post(episode, "submit", body)
    assert Submission.objects.get(episode=episode).answer == stored


def test_an_empty_answer_is_refused_on_the_first_page(follow: Callable[..., Any]) -> None:
    episode = episode_make()
    refused = follow(episode, "submit", placed="1", answer=["", ""])
    assert refused.status_code == 422
    assert "Give an answer first." in refused.content.decode()
    assert 'action="./submit"' in refused.content.decode()


@pytest.mark.parametrize("page", ["nothing", "lines/x/", "lines/3", "../x"])
def test_other_addresses_are_404(arena_client: ArenaClient, address: Callable[..., str], page: str) -> None:
    assert arena_client.get(address(episode_make(), page)).status_code == 404


def test_a_question_of_another_kind_has_no_further_pages(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    assert arena_client.get(address(factories.episode(), "lines/1/")).status_code == 404


def test_an_address_of_a_site_is_resolved_by_its_own_patterns() -> None:
    assert site_dispatch.resolve("board", "lines/7/").kwargs == {"line": 7}
    with pytest.raises(Http404):
        site_dispatch.resolve("board", "elsewhere")
