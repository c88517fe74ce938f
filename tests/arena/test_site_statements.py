"""What a page of a mock site asks of the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gymsite.arena import episodes
from gymsite.arena.sites import events
from palaestra.protocol.arms import PAGE_ARMS
from tests.arena.test_sites import _board, episode_make
from tests.conftest import ArenaClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures(_board.__name__)]


def statements(visit: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as captured:
        visit()
    # What is prepared is captured without its text.
    return sum("ROLE" not in (query["sql"] or "") for query in captured)


def commits_wait() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('synchronous_commit')")
        return bool(cursor.fetchone()[0] != "off")


def test_a_page_takes_one_statement_and_a_second_one_to_record_something_new(
    arena_client: ArenaClient, address: Callable[..., str]
) -> None:
    page = address(episode_make())
    assert [statements(lambda: arena_client.get(page)) for _ in range(3)] == [2, 1, 1]


def test_a_page_knows_the_events_before_it_but_not_its_own() -> None:
    episode = episode_make()
    data = {"by": "me", "line": 1}
    context = {"episode_id": episode.pk, "arms": list(PAGE_ARMS), "step": None}
    assert events.events_append(**context, seen=0, events=[("written", data), ("seen", {})]) == "stored"
    counted, uncounted = (
        episodes.page_open(episode_id=episode.pk, step=None, is_counted=is_counted)
        for is_counted in (True, False)
    )
    assert counted is not None
    assert uncounted is not None
    assert counted.site_history == uncounted.site_history == (("written", data), ("seen", {}))
    assert (counted.site_events, uncounted.site_events) == (3, 3)
    history = events.history_read(episode_id=episode.pk)
    assert (history.last, history.events) == (3, counted.site_history)


def test_recording_a_look_does_not_wait_for_the_disk_and_a_change_does() -> None:
    context = {"episode_id": episode_make().pk, "arms": list(PAGE_ARMS), "step": None}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = on")
    events.events_append(**context, seen=0, events=[("written", {})])
    assert commits_wait()
    events.events_append(**context, seen=1, events=[("seen", {})], is_looking=True)
    assert not commits_wait()
