"""What an episode may ask of the arena: how often, and how much of it is recorded."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from gymsite.arena import request_rates
from gymsite.arena.request_rates import BURST_S, RequestRate
from tests import factories
from tests.conftest import ArenaClient
from trajectories.models import Episode, PageEventTally, SiteEvent, Verdict
from trajectories.rollouts.judging import queue_sql, services

Address = Callable[..., str]
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
PER_S = 2.0
BURST = int(PER_S * BURST_S)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Clock:
    """The clock of the arena's rates, with ``PER_S`` requests a second."""
    settings.EPISODE_REQUESTS_PER_S = PER_S
    standing = Clock()
    made = request_rates.RequestRate
    monkeypatch.setattr(request_rates, "RequestRate", lambda per_s: made(per_s=per_s, clock=standing))
    return standing


def allowed(rate: RequestRate, key: int, count: int) -> int:
    """How many of ``count`` requests at once are within the rate."""
    return sum(not rate.wait_s(key) for _ in range(count))


def kinds(episode: Episode) -> list[str]:
    rows = SiteEvent.objects.filter(episode=episode).order_by("seq")
    return list(rows.values_list("kind", flat=True))


def test_a_burst_is_allowed_and_then_the_rate() -> None:
    clock = Clock()
    rate = RequestRate(per_s=PER_S, clock=clock)

    assert allowed(rate, 1, 100) == BURST
    clock.now += 3.0
    assert allowed(rate, 1, 100) == 3 * PER_S
    clock.now += 100.0
    assert allowed(rate, 1, 100) == BURST


def test_refused_requests_cost_nothing_and_name_the_time_to_wait() -> None:
    clock = Clock()
    rate = RequestRate(per_s=PER_S, clock=clock)
    allowed(rate, 1, 1000)

    wait_s = rate.wait_s(1)

    assert wait_s == pytest.approx(1 / PER_S)
    clock.now += wait_s + 1e-6
    assert allowed(rate, 1, 1000) == 1


def test_each_key_has_a_rate_of_its_own() -> None:
    rate = RequestRate(per_s=PER_S, clock=Clock())

    assert [allowed(rate, key, 100) for key in (1, 2, 3)] == [BURST] * 3


def test_quiet_keys_are_forgotten() -> None:
    clock = Clock()
    rate = RequestRate(per_s=PER_S, clock=clock)
    for key in range(1000):
        rate.wait_s(key)
    assert len(rate) == 1000

    clock.now += BURST_S
    rate.wait_s(1000)

    assert len(rate) == 1


def test_threads_share_one_rate() -> None:
    rate = RequestRate(per_s=PER_S, clock=Clock())

    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(lambda _: allowed(rate, 1, 50), range(8)))

    assert sum(counts) == BURST


def test_a_flood_of_requests_is_refused_with_the_time_to_wait(
    clock: Clock, arena_client: ArenaClient, address: Address
) -> None:
    episode, other = factories.episode(), factories.episode()

    answers = [arena_client.get(address(episode)) for _ in range(2 * BURST)]

    assert [answer.status_code for answer in answers] == [200] * BURST + [429] * BURST
    assert answers[-1]["Retry-After"] == "1"
    assert "Too many requests" in answers[-1].content.decode()
    assert len(kinds(episode)) == BURST
    assert arena_client.get(address(other)).status_code == 200
    clock.now += float(answers[-1]["Retry-After"])
    assert arena_client.get(address(episode)).status_code == 200


@pytest.mark.parametrize(
    ("method", "page"), [("GET", "done"), ("GET", "no-such-page"), ("POST", "events"), ("POST", "recording")]
)
def test_every_address_of_an_episode_counts(
    method: str, page: str, clock: Clock, arena_client: ArenaClient, address: Address
) -> None:
    episode = factories.episode()

    statuses = [arena_client.generic(method, address(episode, page)).status_code for _ in range(BURST + 1)]

    assert statuses[-1] == 429
    assert 429 not in statuses[:-1]


def test_a_refused_request_costs_no_statement(
    clock: Clock, arena_client: ArenaClient, address: Address, django_assert_num_queries: Any
) -> None:
    episode = factories.episode()
    for _ in range(BURST):
        arena_client.get(address(episode))

    with django_assert_num_queries(2):  # the test client's own: the role and back
        assert arena_client.get(address(episode)).status_code == 429


def test_a_policy_that_floods_can_still_submit_and_is_judged(
    clock: Clock, arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    episode = factories.episode(task=factories.task(answer="42"))
    for _ in range(3 * BURST):
        arena_client.get(address(episode))

    answer = submit(episode, "answer=42")

    assert (answer.status_code, answer["Location"]) == (303, "done")
    assert services.submission_judge(episode_id=episode.pk)
    assert Verdict.objects.get(episode=episode).outcome == "correct"


def test_wrong_tokens_take_no_memory(clock: Clock, arena_client: ArenaClient) -> None:
    statuses = {arena_client.get(f"/e/{'x' * 32}/").status_code for _ in range(2 * BURST)}

    assert statuses == {404}


def test_past_the_cap_on_page_views_one_marker_is_stored_and_pages_are_served(
    settings: Any, arena_client: ArenaClient, address: Address, submit: Callable[..., Any]
) -> None:
    settings.PAGES_SERVED_MAX = 3
    episode = factories.episode()

    pages = [arena_client.get(address(episode)) for _ in range(8)]

    assert {page.status_code for page in pages} == {200}
    assert kinds(episode) == ["page_served"] * 3 + ["pages_capped"]
    assert submit(episode, "answer=42").status_code == 303
    assert kinds(episode) == ["page_served"] * 3 + ["pages_capped", "answer_recorded"]
    arena_client.get(address(episode, "done"))
    assert kinds(episode)[-1] == "answer_recorded"


def test_past_the_cap_page_views_still_keep_the_lease(
    settings: Any, arena_client: ArenaClient, address: Address
) -> None:
    settings.PAGES_SERVED_MAX = 1
    episode = factories.episode()
    for _ in range(2):
        arena_client.get(address(episode))

    for _ in range(2):
        PageEventTally.objects.update(last_at=LONG_AGO)
        arena_client.get(address(episode))
        (sign,) = queue_sql.episodes_open()
        assert sign.last_site_event == 2
        assert sign.reported_at is not None
        assert sign.reported_at > LONG_AGO.timestamp()
    tally = PageEventTally.objects.get(episode=episode)
    assert (tally.events, tally.bytes, tally.capped) == (0, 0, False)
