"""What the server notes of looks at a mock site, and how much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gymsite.arena import site_dispatch
from gymsite.arena.sites import events
from gymsite.arena.sites.site import Change, Page, Site, Visit, route, sites
from tasks_app.worlds import evidence
from tests import factories
from tests.arena.test_sites import BOARD, episode_make, kinds
from tests.conftest import ArenaClient
from trajectories.behaviour.facts import store
from trajectories.models import Episode, PageEvent, SiteEvent, StepFacts

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


def board(visit: Visit) -> Page:
    """A page under a pop-up that comes again after each second time that it was closed."""
    seen = (("shown", {"facts": ["the board"]}),)
    return Page(template="arena/site.html", events=seen, pop_ups=("news",) if visit.state % 2 == 0 else ())


def close(visit: Visit) -> Page | Change:
    if visit.form is None:
        return Page(template="arena/site.html")
    return Change(events=(("banner_closed", {"name": "news"}),), to="")


def overtaken(visit: Visit) -> Page:
    """A look during which another tab is always faster."""
    episode_id = int(visit.query["episode"])
    last = SiteEvent.objects.filter(episode_id=episode_id).count()
    SiteEvent.objects.create(episode_id=episode_id, seq=last + 1, kind="noise")
    return Page(template="arena/site.html", events=(("looked", {}),))


SITE = Site(
    id="board",
    title="The Board",
    open_world=BOARD.open_world,
    fold=lambda world, history: sum(kind == "banner_closed" for kind, _ in history),
    urls=[route("", board), route("close", close), route("overtaken", overtaken)],
)


@pytest.fixture(autouse=True)
def _board(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In place of the board of other tests, whose addresses are remembered by its name."""
    monkeypatch.setitem(sites._items, "board", SITE)
    site_dispatch._resolver.cache_clear()
    yield
    site_dispatch._resolver.cache_clear()


@pytest.fixture
def visit(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def send(method: str, episode: Episode, page: str = "", body: str = "", **headers: str) -> Any:
        return arena_client.generic(
            method, address(episode, page), body, content_type=FORM, headers=headers or None
        )

    return send


def fill(episode: Episode, count: int) -> None:
    SiteEvent.objects.bulk_create(
        SiteEvent(episode=episode, seq=seq, kind="looked", data={"at": seq}) for seq in range(1, count + 1)
    )


def test_a_pop_up_is_recorded_each_time_it_is_shown(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    for _ in range(2):
        visit("GET", episode)
    for _ in range(2):
        visit("POST", episode, "close")
    visit("GET", episode)
    noted = [kind for kind in kinds(episode) if kind not in ("page_served", "shown")]
    assert noted == ["pop_up_shown", "banner_closed", "banner_closed", "pop_up_shown"]


def test_only_pop_ups_shown_and_not_yet_closed_are_open() -> None:
    news, cookies = ({"name": name} for name in ("news", "cookies"))
    events = [("pop_up_shown", news), ("banner_closed", news), ("pop_up_shown", cookies), ("shown", {})]
    assert evidence.pop_ups_open(events[:1]) == ("news",)
    assert evidence.pop_ups_open(events) == ("cookies",)
    assert evidence.pop_ups_open([*events, ("pop_up_shown", news)]) == ("cookies", "news")


def test_a_head_request_records_nothing(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    answer = visit("HEAD", episode)
    assert (answer.status_code, answer.content) == (200, b"")
    assert kinds(episode) == []


def test_a_page_that_refuses_an_answer_is_recorded_as_a_page_view(
    visit: Callable[..., Any], follow: Callable[..., Any]
) -> None:
    episode = episode_make()
    assert visit("POST", episode, "submit", "placed=1&answer=").status_code == 303
    assert kinds(episode) == []
    assert follow(episode, "submit", placed="1", answer="").status_code == 422
    assert kinds(episode) == ["page_served", "shown", "pop_up_shown"]


def test_a_recorded_look_carries_the_step_of_its_request(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    visit("GET", episode, **{"X-Gym-Step": "4"})
    assert set(SiteEvent.objects.filter(episode=episode).values_list("step", flat=True)) == {4}


@pytest.mark.parametrize("page", ["", "nowhere/%00/" + "x" * 300])
def test_a_page_view_is_noted_with_its_path(visit: Callable[..., Any], page: str) -> None:
    episode = episode_make()
    visit("GET", episode, page)
    noted = SiteEvent.objects.get(episode=episode, kind="page_served")
    assert noted.data == {"path": page.replace("%00", "\ufffd")[:200]}


def test_what_a_script_fetches_is_noted_with_its_query_and_without_a_path(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    visit("GET", episode, "close?page=2&q=a%00b", **{"Sec-Fetch-Dest": "empty"})
    noted = SiteEvent.objects.get(episode=episode, kind="page_served")
    assert noted.data == {"fetched": "close?page=2&q=a%00b"}


def test_only_pages_that_the_server_noted_as_opened_confirm_a_goto(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    visit("GET", episode, "close", **{"X-Gym-Step": "1", "Sec-Fetch-Dest": "document"})
    visit("GET", episode, "close", **{"X-Gym-Step": "3", "Sec-Fetch-Dest": "empty"})  # fetched by a script
    for index in (1, 2, 3):
        action = {"type": "goto", "url": "https://gym/close"}
        factories.step(episode, index, action=action, action_type="goto", action_result="ok")
        claim = {"page": f"p{index}", "seq": 1, "step": index, "kind": "load", "at_ms": 5}
        PageEvent.objects.create(episode=episode, data={"path": "close"}, **claim)
    store.facts_compute([episode.pk])
    checks = (
        StepFacts.objects.filter(episode=episode).order_by("index").values_list("action_check", flat=True)
    )
    assert list(checks) == ["confirmed", "unknown", "unknown"]


def test_a_look_that_always_loses_the_race_still_gets_its_page(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    episode = episode_make()
    answer = arena_client.get(f"{address(episode, 'overtaken')}?episode={episode.pk}")
    assert answer.status_code == 200
    assert "looked" not in kinds(episode)


def test_past_the_limit_looks_are_not_recorded_and_changes_still_are(visit: Callable[..., Any]) -> None:
    episode = episode_make()
    fill(episode, evidence.LOOKS_MAX)
    assert visit("GET", episode).status_code == 200
    assert visit("POST", episode, "close").status_code == 303
    assert [kind for kind in kinds(episode) if kind != "looked"] == ["page_served", "banner_closed"]


def test_past_its_limit_a_change_is_refused_and_pages_are_still_served(
    visit: Callable[..., Any], follow: Callable[..., Any]
) -> None:
    episode = episode_make()
    fill(episode, events.EVENTS_MAX)
    assert visit("GET", episode).status_code == 200

    refused = follow(episode, "close")

    assert refused.redirect_chain == [("./?refused=no_more_changes", 303)]
    assert refused.status_code == 409
    page = refused.content.decode()
    assert "No more changes are possible" in page
    assert page.count('name="answer"') == 2
    assert "banner_closed" not in kinds(episode)
    assert visit("POST", episode, "submit", "placed=1&answer=a&answer=b").status_code == 303
