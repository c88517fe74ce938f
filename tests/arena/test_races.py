from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from gymsite.arena import episodes, events, submissions
from tests import factories
from trajectories.actions.types import CAPPED
from trajectories.models import PageEvent, PageEventTally, SiteEvent, Submission

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 8


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of ``work`` called with 0 to 7 in as many threads, each with a connection of its own."""
    barrier = Barrier(AT_ONCE)

    def one(number: int) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=20)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


def test_only_one_of_many_simultaneous_answers_is_stored() -> None:
    episode = factories.episode()

    outcomes = at_once(
        lambda number: submissions.submission_store(episode_id=episode.pk, answer=str(number), step=None)
    )

    assert Counter(outcomes) == {"stored": 1, "other": AT_ONCE - 1}
    assert Submission.objects.get(episode=episode).answer == str(outcomes.index("stored"))


def test_a_batch_sent_many_times_at_once_is_stored_once() -> None:
    episode = factories.episode()
    batch = events.Batch(
        page="0123456789", events=[events.Event(seq=seq, kind="click", at_ms=1.0) for seq in range(1, 21)]
    )

    outcomes = at_once(lambda _: events.batch_store(episode_id=episode.pk, batch=batch, step=None))

    assert outcomes == [True] * AT_ONCE
    assert PageEvent.objects.filter(episode=episode).count() == 20


def test_simultaneous_batches_do_not_exceed_the_cap_together(settings: Any) -> None:
    settings.PAGE_EVENTS_MAX = 100
    episode = factories.episode()
    first = events.Batch(page="0123456789", events=[events.Event(seq=1, kind="load", at_ms=0.0)])
    events.batch_store(episode_id=episode.pk, batch=first, step=None)

    def send(number: int) -> bool:
        many = [events.Event(seq=seq, kind="click", at_ms=1.0) for seq in range(1, 41)]
        batch = events.Batch(page=f"page-{number:04d}", events=many)
        return events.batch_store(episode_id=episode.pk, batch=batch, step=None)

    at_once(send)

    assert PageEvent.objects.filter(episode=episode, kind="click").count() == 80
    assert PageEvent.objects.filter(episode=episode, kind=CAPPED).count() == 1
    assert PageEventTally.objects.get(episode=episode).capped


def test_simultaneous_page_requests_are_all_served() -> None:
    episode = factories.episode()

    pages = at_once(lambda _: episodes.page_open(episode_id=episode.pk, step=None, is_counted=True))

    assert all(page is not None and page.is_open for page in pages)
    seqs = sorted(SiteEvent.objects.filter(episode=episode).values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


def test_page_views_at_once_do_not_exceed_their_cap_and_leave_one_marker(settings: Any) -> None:
    settings.PAGES_SERVED_MAX = 10
    episode = factories.episode()

    def view(_: int) -> None:
        for _ in range(20):
            episodes.page_open(episode_id=episode.pk, step=None, is_counted=True)

    at_once(view)

    kinds = Counter(SiteEvent.objects.filter(episode=episode).values_list("kind", flat=True))
    assert kinds == {"page_served": 10, "pages_capped": 1}
