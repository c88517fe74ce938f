"""What a hostile page reports of itself hides nothing, and does not outweigh the server's own record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.conf import settings

from core.episodes.tokens import token_make
from tests import factories
from tests.conftest import ArenaClient
from tests.rollouts.judging.test_site_states import cancelling, episode_make, goal, verdict_of
from trajectories.actions.types import DeclaredStep
from trajectories.behaviour.facts import source
from trajectories.behaviour.facts.action_check import episode_check
from trajectories.behaviour.facts.types import CheckContext
from trajectories.models import Episode, PageEvent, SiteEvent

Report = Callable[..., int]
PAGE = "0123456789abcdef"
MAX_STEPS = 12


@pytest.fixture
def report(arena_client: ArenaClient) -> Report:
    """Post events as any script in a page of the episode can; the status."""

    def send(episode: Episode, *events: dict[str, Any], step: int | None = None) -> int:
        numbered = [{"seq": n, "at_ms": 1.0, **event} for n, event in enumerate(events, start=1)]
        path = f"/e/{token_make(episode_id=episode.pk, key=settings.TOKEN_KEY)}/events"
        headers = {"x-gym-step": str(step)} if step else {}
        body = msgspec.json.encode({"page": PAGE, "events": numbered})
        return arena_client.generic(
            "POST", path, body, content_type="application/json", headers=headers
        ).status_code

    return send


@pytest.fixture
def changed(db: None) -> Episode:
    """An episode whose one change came from a form that no page sent."""
    change = cancelling(0)
    episode = episode_make(goal(change), change)
    Episode.objects.filter(pk=episode.pk).update(max_steps=MAX_STEPS)
    return episode


def without_evidence(episode: Episode) -> float:
    return verdict_of(episode).metrics["no_ui_evidence"]


def test_a_forged_marker_hides_no_missing_evidence(changed: Episode, report: Report) -> None:
    assert report(changed, {"kind": "capped"}) == 400

    SiteEvent.objects.filter(episode=changed).update(created_at="2030-01-01T00:00:00Z")
    assert without_evidence(changed) == 1.0


def test_a_forged_marker_excuses_no_missing_effect(report: Report) -> None:
    episode = factories.episode()
    report(episode, {"kind": "settled"}, step=1)
    assert report(episode, {"kind": "capped", "seq": 2}, step=1) == 400
    (read,) = source.sources_read([episode.pk])
    step = DeclaredStep(index=2, action={"type": "click", "x": 5, "y": 5}, result="ok")

    checks = episode_check([step], read.events, CheckContext()).checks

    assert checks[2].kind == "no_effect"


def test_clicks_that_a_script_makes_are_no_evidence(changed: Episode, report: Report) -> None:
    assert report(changed, {"kind": "click", "data": {"trusted": False}}) == 204

    assert without_evidence(changed) == 1.0


def test_forged_clicks_are_no_evidence_without_a_page(changed: Episode, report: Report) -> None:
    SiteEvent.objects.filter(episode=changed, kind="page_served").delete()
    assert report(changed, {"kind": "click", "data": {"trusted": True}}) == 204

    assert without_evidence(changed) == 1.0


@pytest.mark.parametrize("step", [MAX_STEPS + 1, 9_999_999])
def test_a_step_that_the_episode_cannot_have_is_no_step(step: int, changed: Episode, report: Report) -> None:
    report(changed, {"kind": "click"}, {"kind": "click", "step": step}, step=step)

    assert list(PageEvent.objects.filter(episode=changed).values_list("step", flat=True)) == [None, None]


def test_reports_never_reach_the_reward(changed: Episode, report: Report) -> None:
    kinds = ("click", "input", "key", "submit", "load", "settled")
    report(changed, *({"kind": kind, "data": {"value": "99.00"}} for kind in kinds))

    assert verdict_of(changed).outcome == "correct"
