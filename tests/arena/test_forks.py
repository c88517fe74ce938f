"""A fork's pages while it is restored, and afterwards: as they were for its parent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tasks_app.worlds.keys import changes_seal, world_key
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, PageEvent, SiteEvent, Submission
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.forks import creation, lineage
from trajectories.rollouts.episodes.forks.creation import Fork

pytestmark = pytest.mark.django_db

FIRST_DAY = date(2027, 3, 1)
TEXT = "Find a place to sleep."
FORM = "application/x-www-form-urlencoded"
ANYBODY = Principal(key_id=0, name="test", scopes=frozenset({"trainer"}), splits=frozenset(), project=None)


@pytest.fixture
def parent() -> Episode:
    key = world_key(salt=settings.WORLD_SALT, site="stays", number=7)
    payload = {
        "site": "stays",
        "world": 7,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=key, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Listing number"],
    }
    task = factories.task(kind="site", payload=payload)
    return factories.episode(task=task, virtual_start=datetime(2027, 3, 1, 9, tzinfo=UTC), presentation={})


@pytest.fixture
def get(arena_client: ArenaClient, address: Callable[..., str]) -> Callable[..., Any]:
    def send(
        episode: Episode, page: str, *, step: int | None, as_of: int | None = None, is_fetched: bool = False
    ) -> Any:
        destination = "empty" if is_fetched else "document"
        headers = {"X-Gym-Step": step, "X-Gym-As-Of": as_of, "Sec-Fetch-Dest": destination}
        return arena_client.get(
            address(episode, page), headers={name: str(value) for name, value in headers.items() if value}
        )

    return send


def _without_token(response: Any, episode: Episode, address: Callable[..., str]) -> str:
    assert response.status_code == 200, response.content
    return response.content.decode().replace(address(episode).split("/")[2], "TOKEN")


def _forked(parent: Episode, *, step: int, steps: int) -> Episode:
    for index in range(1, steps + 1):
        factories.step(
            parent,
            index,
            observation_kind="axtree-v2",
            observation_text=f"{index}",
            more={"element_ids": "k"},
        )
    factories.verdict(parent, "incorrect")
    records = creation.forks_open(forks=[Fork(episode=parent.pk, step=step)], principal=ANYBODY)["episodes"]
    lineage.fork_restore(episode_id=records[0]["id"], principal=ANYBODY)
    return Episode.objects.get(pk=records[0]["id"])


def test_pages_as_of_an_event_are_the_parents_and_note_nothing(
    get: Callable[..., Any], address: Callable[..., str], parent: Episode
) -> None:
    seen = {}
    for step, page in ((None, ""), (1, "search"), (2, "search"), (3, "help")):
        seen[step] = _without_token(get(parent, page, step=step), parent, address)
    served = list(
        SiteEvent.objects.filter(episode=parent, kind="page_served")
        .order_by("seq")
        .values_list("seq", "data")
    )
    fork = _forked(parent, step=2, steps=4)
    before = list(SiteEvent.objects.filter(episode=fork).values_list("seq", "kind"))
    for (seq, data), (step, page) in zip(served, ((None, ""), (1, "search"), (2, "search")), strict=False):
        again = _without_token(get(fork, data["path"], step=step, as_of=seq), fork, address)
        assert again == seen[step], page
    assert list(SiteEvent.objects.filter(episode=fork).values_list("seq", "kind")) == before
    # What the parent did next, done in the fork: the same page, and the same number of events.
    assert _without_token(get(fork, "help", step=3), fork, address) == seen[3]
    last = SiteEvent.objects.filter(episode=parent).order_by("-seq").values_list("seq", flat=True)[0]
    assert SiteEvent.objects.filter(episode=fork).order_by("-seq").values_list("seq", flat=True)[0] == last


def test_what_scripts_fetched_in_one_act_is_each_as_it_was(
    get: Callable[..., Any], address: Callable[..., str], parent: Episode
) -> None:
    get(parent, "", step=None)
    fetched = ("help", "search", "help?topic=more")
    seen = {
        page: _without_token(get(parent, page, step=1, is_fetched=True), parent, address) for page in fetched
    }
    fork = _forked(parent, step=1, steps=2)
    last = SiteEvent.objects.filter(episode=fork).order_by("-seq").values_list("seq", flat=True)[0]
    for page in reversed(fetched):
        again = get(fork, page, step=1, as_of=last, is_fetched=True)
        assert _without_token(again, fork, address) == seen[page], page
    # What was not fetched then is as it was after the act.
    assert get(fork, "search?q=other", step=1, as_of=last, is_fetched=True).status_code == 200


def test_there_is_no_way_back_and_no_other_page(
    get: Callable[..., Any], address: Callable[..., str], parent: Episode
) -> None:
    get(parent, "", step=None)
    get(parent, "search", step=1)
    fork = _forked(parent, step=1, steps=2)
    assert get(fork, "search", step=1, as_of=1).status_code == 404  # event 1 was the first page
    assert get(fork, "", step=1, as_of=99).status_code == 404
    assert get(fork, "", step=1, as_of=1).status_code == 200
    assert get(fork, "help", step=2).status_code == 200
    assert get(fork, "", step=1, as_of=1).status_code == 404  # the fork has gone on


def test_other_episodes_have_no_past(get: Callable[..., Any], parent: Episode) -> None:
    get(parent, "", step=None)
    assert get(parent, "", step=1, as_of=1).status_code == 404


@pytest.mark.parametrize("as_of", ["0", "x", "", "99999999"])
def test_a_malformed_event_number_is_refused(
    arena_client: ArenaClient,
    address: Callable[..., str],
    get: Callable[..., Any],
    parent: Episode,
    as_of: str,
) -> None:
    get(parent, "", step=None)
    events = SiteEvent.objects.count()
    response = arena_client.get(address(parent), headers={"X-Gym-As-Of": as_of})
    assert response.status_code == 404
    assert SiteEvent.objects.count() == events


def test_nothing_sent_while_restoring_is_stored(
    arena_client: ArenaClient, address: Callable[..., str], get: Callable[..., Any], parent: Episode
) -> None:
    get(parent, "", step=None)
    get(parent, "search", step=1)
    fork = _forked(parent, step=1, steps=2)
    headers = {"X-Gym-Step": "1", "X-Gym-As-Of": "2"}
    form = urlencode({"answer": "4"})
    response = arena_client.post(address(fork, "submit"), form, content_type=FORM, headers=headers)
    assert response.status_code == 409
    events = [{"kind": "click", "at_ms": 1, "seq": 1, "data": {}}]
    body = {"page": "p", "events": events}
    response = arena_client.post(
        address(fork, "events"), body, content_type="application/json", headers=headers
    )
    assert response.status_code == 204
    assert not Submission.objects.filter(episode=fork).exists()
    assert not PageEvent.objects.filter(episode=fork).exists()
    fork.refresh_from_db()
    assert fork.status == Episode.Status.OPEN


def test_a_fork_that_was_not_restored_has_no_pages(get: Callable[..., Any], parent: Episode) -> None:
    get(parent, "", step=None)
    fork = _forked(parent, step=0, steps=1)
    Episode.objects.filter(pk=fork.pk).update(inherited_events=None)
    assert get(fork, "", step=1).status_code == 404
