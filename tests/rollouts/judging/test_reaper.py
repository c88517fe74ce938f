"""The reaper: expired leases, unused episodes, and submissions that no worker judges."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.conf import LazySettings
from django.utils import timezone

from tests import factories
from trajectories.models import Episode, PageEventTally, SiteEvent, Submission, WatchMark
from trajectories.record import heartbeats
from trajectories.rollouts.judging import queue_sql, reaper
from trajectories.rollouts.judging.services import CLAIMS_MAX

pytestmark = pytest.mark.django_db

LEASE_S = 300.0
GRACE_S = 90.0
UNUSED_S = 86_400.0


@pytest.fixture(autouse=True)
def _limits(settings: LazySettings) -> None:
    settings.LEASE_S, settings.LEASE_GRACE_S, settings.UNUSED_EPISODE_S = LEASE_S, GRACE_S, UNUSED_S


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """The heartbeats in Redis."""
    stored: dict[int, str] = {}
    monkeypatch.setattr(heartbeats, "last_beats", lambda ids: {pk: stored[pk] for pk in ids if pk in stored})
    return stored


@pytest.fixture
def looks(beats: dict[int, str]) -> Looks:
    return Looks()


def step_recorded(episode: Episode) -> None:
    factories.step(episode, episode.steps.count() + 1)


def page_event_recorded(episode: Episode) -> None:
    PageEventTally.objects.update_or_create(episode=episode, defaults={"last_at": timezone.now()})


def site_event_recorded(episode: Episode) -> None:
    SiteEvent.objects.create(episode=episode, seq=1, kind="noise")


class Looks:
    """A reaper with a clock of its own, beside an episode that takes a step before each look."""

    def __init__(self) -> None:
        self.now = 0.0
        self.reaper = reaper.LeaseReaper(clock=lambda: self.now)
        self.busy = factories.episode()

    def look(self, *, seconds: float = 0.0) -> int:
        """Look for so long; returns how many episodes were voided."""
        voided = self.reaper()
        for _ in range(int(seconds / reaper.look_every_s())):
            self.now += reaper.look_every_s()
            step_recorded(self.busy)
            voided += self.reaper()
        return voided


def ending(episode: Episode) -> tuple[str, str] | None:
    episode.refresh_from_db()
    return (episode.verdict.outcome, episode.verdict.reason) if episode.verdict else None


def test_an_episode_that_is_silent_for_a_lease_and_the_grace_period_is_lost(looks: Looks) -> None:
    episode = factories.episode()
    step_recorded(episode)
    assert looks.look(seconds=LEASE_S) == 0
    assert looks.look(seconds=GRACE_S) == 1
    assert ending(episode) == ("void", "lease_lost")
    assert ending(looks.busy) is None


@pytest.mark.parametrize("renew", [step_recorded, page_event_recorded, site_event_recorded])
def test_each_sign_of_life_renews_the_lease(renew: Callable[[Episode], object], looks: Looks) -> None:
    episode = factories.episode()
    step_recorded(episode)
    looks.look(seconds=LEASE_S)
    renew(episode)
    assert looks.look(seconds=LEASE_S) == 0
    assert looks.look(seconds=2 * GRACE_S) == 1


def test_a_heartbeat_renews_the_lease(looks: Looks, beats: dict[int, str]) -> None:
    episode = factories.episode()
    beats[episode.pk] = "1"
    looks.look(seconds=LEASE_S)
    beats[episode.pk] = "2"
    assert looks.look(seconds=LEASE_S) == 0
    assert looks.look(seconds=2 * GRACE_S) == 1
    assert ending(episode) == ("void", "lease_lost")


def test_what_happened_while_redis_was_away_is_no_silence(
    looks: Looks, beats: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(_ids: object) -> dict[int, str]:
        raise redis.ConnectionError

    episode = factories.episode()
    step_recorded(episode)
    looks.look(seconds=LEASE_S)
    with monkeypatch.context() as patch:
        patch.setattr(heartbeats, "last_beats", unreachable)
        assert looks.look() == 0
    assert looks.look(seconds=LEASE_S) == 0
    assert looks.look(seconds=GRACE_S + reaper.look_every_s()) == 1


def test_an_unused_episode_is_reaped_after_a_day_of_looks_over_restarts(
    looks: Looks, settings: LazySettings
) -> None:
    settings.UNUSED_EPISODE_S = 2 * LEASE_S
    first, episode = Looks(), factories.episode()
    first.look(seconds=LEASE_S)
    second = Looks()
    assert second.look(seconds=LEASE_S) == 0
    assert second.look(seconds=2 * GRACE_S) >= 1
    assert ending(episode) == ("void", "expired_unused")
    assert WatchMark.objects.count() > 10


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(hours=25), timedelta(days=400)])
def test_a_jump_of_the_databases_clock_expires_no_unused_episode(jump: timedelta, looks: Looks) -> None:
    episodes = [factories.episode(opened_at=timezone.now() - jump) for _ in range(3)]
    for lab in (looks, Looks()):
        lab.look(seconds=2 * (LEASE_S + GRACE_S))
    assert [ending(episode) for episode in episodes] == [None] * 3


def test_an_answer_that_waits_for_its_verdict_holds_no_lease(looks: Looks) -> None:
    episode = factories.episode()
    step_recorded(episode)
    factories.submission(episode)
    assert [one.episode_id for one in queue_sql.episodes_open()] == [looks.busy.pk]
    assert looks.look(seconds=LEASE_S + 2 * GRACE_S) == 0
    assert ending(episode) is None


@pytest.mark.parametrize(
    ("claims", "outcome"), [(CLAIMS_MAX - 1, None), (CLAIMS_MAX, ("void", "verifier_error"))]
)
def test_a_submission_is_void_once_every_claim_was_lost(
    claims: int, outcome: tuple[str, str] | None, settings: LazySettings
) -> None:
    episode = factories.episode()
    factories.submission(episode)
    lost_at = timezone.now() - timedelta(seconds=settings.CLAIM_LOST_S + 5)
    Submission.objects.filter(episode=episode).update(claims=claims, claimed_at=lost_at)
    reaper.void_exhausted()
    assert ending(episode) == outcome


def pages_opened(episode: Episode, count: int, *, step: int | None = None, path: str | None = "") -> None:
    first = episode.site_events.count() + 1
    data = {} if path is None else {"path": path}
    SiteEvent.objects.bulk_create(
        SiteEvent(episode=episode, seq=first + more, step=step, kind="page_served", data=data)
        for more in range(count)
    )


def test_pages_opened_and_acts_outside_any_step_spend_the_step_budget() -> None:
    roaming, clicking, typing = (factories.episode(max_steps=3) for _ in range(3))
    pages_opened(roaming, 5)
    PageEventTally.objects.create(episode=clicking, gestures=4)
    PageEventTally.objects.create(episode=typing, gestures=1, fields=3)
    assert reaper.overspent_end() == 3
    for episode in (roaming, clicking, typing):
        assert ending(episode) == ("incorrect", "step_budget")
        assert episode.verdict is not None
        assert episode.verdict.truncated
    assert reaper.overspent_end() == 0


def test_a_budget_that_is_just_used_up_ends_nothing() -> None:
    episode = factories.episode(max_steps=3)
    pages_opened(episode, 4)
    pages_opened(episode, 9, path=None)
    PageEventTally.objects.create(episode=episode, gestures=3)
    assert reaper.overspent_end() == 0
    assert ending(episode) is None


def test_pages_of_a_harness_count_only_where_they_exceed_what_its_steps_can_open() -> None:
    episode = factories.episode(max_steps=3)
    pages_opened(episode, 1)
    pages_opened(episode, 15 + 3, step=2)
    assert reaper.overspent_end() == 0
    pages_opened(episode, 1, step=2)
    assert reaper.overspent_end() == 1


def test_a_submission_comes_before_the_step_budget() -> None:
    episode = factories.episode(max_steps=3, status=Episode.Status.SUBMITTED)
    pages_opened(episode, 9)
    assert reaper.overspent_end() == 0
