"""The reaper: expired leases, unused episodes, and submissions that no worker judges."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.utils import timezone

from tests import factories
from trajectories import heartbeats
from trajectories.judging import queue_sql, reaper
from trajectories.judging.services import CLAIMS_MAX
from trajectories.models import Episode, Step, Submission

pytestmark = pytest.mark.django_db

LEASE_S = 300.0
UNUSED_S = 86_400.0


@pytest.fixture(autouse=True)
def _redis_up_for_long(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    settings.LEASE_S, settings.UNUSED_EPISODE_S = LEASE_S, UNUSED_S
    monkeypatch.setattr(reaper, "redis_uptime_s", lambda: 10 * UNUSED_S)
    monkeypatch.setattr(heartbeats, "last_beats", lambda ids: {})


def episode_opened(seconds_ago: float, **fields: Any) -> Episode:
    return factories.episode(opened_at=timezone.now() - timedelta(seconds=seconds_ago), **fields)


def step_recorded(episode: Episode, seconds_ago: float) -> None:
    step = factories.step(episode)
    moment = timezone.now() - timedelta(seconds=seconds_ago)
    Step.objects.filter(pk=step.pk).update(created_at=moment)


def ending(episode: Episode) -> tuple[str, str] | None:
    episode.refresh_from_db()
    return (episode.verdict.outcome, episode.verdict.reason) if episode.verdict else None


def test_an_episode_whose_lease_runs_out_is_lost() -> None:
    episode = episode_opened(2 * LEASE_S)
    step_recorded(episode, LEASE_S + 5)
    assert reaper.leases_reap() == 1
    assert ending(episode) == ("void", "lease_lost")


def test_a_step_renews_the_lease() -> None:
    episode = episode_opened(2 * LEASE_S)
    step_recorded(episode, LEASE_S - 60)
    assert reaper.leases_reap() == 0
    assert ending(episode) is None


@pytest.mark.parametrize(("seconds_ago", "reaped"), [(LEASE_S - 60, 0), (LEASE_S + 60, 1)])
def test_a_heartbeat_renews_the_lease(
    seconds_ago: float, reaped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    episode = episode_opened(2 * LEASE_S)
    monkeypatch.setattr(heartbeats, "last_beats", lambda ids: dict.fromkeys(ids, seconds_ago))
    assert reaper.leases_reap() == reaped
    assert ending(episode) == (("void", "lease_lost") if reaped else None)


def test_nothing_is_reaped_while_redis_may_have_forgotten_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    episode = episode_opened(2 * LEASE_S)
    step_recorded(episode, LEASE_S + 5)
    monkeypatch.setattr(reaper, "redis_uptime_s", lambda: LEASE_S - 1)
    assert reaper.leases_reap() == 0
    assert ending(episode) is None


def test_nothing_is_reaped_while_redis_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(_ids: object) -> dict[int, float]:
        raise redis.ConnectionError

    episode = episode_opened(2 * LEASE_S)
    step_recorded(episode, LEASE_S + 5)
    monkeypatch.setattr(heartbeats, "last_beats", unreachable)
    assert reaper.leases_reap() == 0
    assert ending(episode) is None


@pytest.mark.parametrize(
    ("seconds_ago", "outcome"), [(10 * LEASE_S, None), (UNUSED_S + 60, ("void", "expired_unused"))]
)
def test_an_unused_episode_is_reaped_after_a_day(seconds_ago: float, outcome: tuple[str, str] | None) -> None:
    episode = episode_opened(seconds_ago)
    reaper.leases_reap()
    assert ending(episode) == outcome


def test_an_answer_that_waits_for_its_verdict_holds_no_lease() -> None:
    episode = episode_opened(2 * LEASE_S)
    step_recorded(episode, LEASE_S + 5)
    factories.submission(episode)
    assert queue_sql.episodes_silent(lease_s=LEASE_S) == []
    assert reaper.leases_reap() == 0
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
    reaper.exhausted_void()
    assert ending(episode) == outcome
