from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.conf import settings

from tasks_app.models import Gold
from tasks_app.worlds.digest import plain
from tasks_app.worlds.keys import changes_seal, world_key
from tasks_app.worlds.registry import worlds
from tests import factories
from trajectories.models import Episode, SiteEvent, Verdict, VerdictEvidence
from trajectories.record import hot_sql
from trajectories.rollouts.judging import services, site_states

pytestmark = pytest.mark.django_db

FIRST_DAY = date(2027, 3, 1)
TEXT = "Cancel the first trip."
KEY = world_key(salt=settings.WORLD_SALT, site="stays", number=8)
STAYS = worlds.get("stays")


def town() -> Any:
    return STAYS.open_world(KEY, edition="train", first_day=FIRST_DAY)


def cancelling(place: int) -> tuple[str, dict[str, Any]]:
    trips = [trip for trip in town().trips if trip.status == "booked"]
    return "cancelled", {"trip": trips[place].code, "fee": 1_500}


def goal(*events: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    state = plain(STAYS.fold(town(), events))
    return {"state": {part: state[part] for part in ("trips", "fees")}}


def episode_make(extra: dict[str, Any], *events: tuple[str, dict[str, Any]]) -> Episode:
    payload = {
        "site": "stays",
        "world": 8,
        "edition": "train",
        "first_day": FIRST_DAY.isoformat(),
        "changes": changes_seal([], key=KEY, text=TEXT),
        "text": TEXT,
        "format": "plain",
        "fields": ["Fee"],
    }
    stays = factories.benchmark(
        id="stays", verifier_official="site_state-v1", verifier_training="site_state-v1"
    )
    task = factories.task(kind="site", payload=payload, answer="15.00", benchmark=stays)
    Gold.objects.filter(task=task).update(extra=extra)
    episode = factories.episode(task=task)
    history = [("page_served", {}), *events]
    for seq, (kind, data) in enumerate(history, start=1):
        SiteEvent.objects.create(episode=episode, seq=seq, kind=kind, data=data)
    return episode


def verdict_of(episode: Episode, answer: str = "15.00") -> Verdict:
    factories.submission(episode, [answer])
    assert services.submission_judge(episode_id=episode.pk)
    return Verdict.objects.get(episode=episode)


def test_the_right_action_with_the_right_answer_is_correct() -> None:
    event = cancelling(0)
    verdict = verdict_of(episode_make(goal(event), event))
    assert verdict.outcome == "correct"
    assert verdict.metrics.items() >= {"values_right": 1.0, "state_right": 1.0}.items()


def test_an_untouched_episode_with_the_right_words_is_incorrect() -> None:
    assert verdict_of(episode_make(goal(cancelling(0)))).outcome == "incorrect"


def test_a_wrong_action_is_incorrect() -> None:
    assert verdict_of(episode_make(goal(cancelling(0)), cancelling(1))).outcome == "incorrect"


def test_an_additional_action_is_incorrect() -> None:
    verdict = verdict_of(episode_make(goal(cancelling(0)), cancelling(0), cancelling(1)))
    assert verdict.outcome == "incorrect"


def test_a_reading_task_is_judged_by_its_values_alone() -> None:
    assert verdict_of(episode_make({}, cancelling(1))).outcome == "correct"


def test_events_after_the_answer_do_not_count() -> None:
    event = cancelling(0)
    episode = episode_make(goal(event), ("answer_recorded", {}), event)
    assert verdict_of(episode).outcome == "incorrect"


def test_a_world_of_another_salt_is_void_and_never_zero(settings: Any) -> None:
    event = cancelling(0)
    episode = episode_make(goal(event), event)
    settings.WORLD_SALT = b"another"
    verdict = verdict_of(episode)
    assert (verdict.outcome, verdict.reason, verdict.reward) == ("void", "verifier_error", None)


def test_judging_a_state_is_within_the_workers_rights(as_role: Any) -> None:
    event = cancelling(0)
    episode = episode_make(goal(event), event)
    factories.submission(episode, ["15.00"])
    claim = hot_sql.submission_claim(episode_id=episode.pk, claims_max=3, lost_s=60)
    assert claim is not None
    with as_role("gym_worker"):
        left = site_states.left_behind(episode_id=episode.pk, claim=claim)
    assert left.state is not None
    assert left.state["fees"] == goal(event)["state"]["fees"]
    assert "pop_up_open_at_submit" in left.metrics


def conditions_of(verdict: Verdict) -> list[dict[str, Any]]:
    conditions: list[dict[str, Any]] = VerdictEvidence.objects.get(verdict=verdict).data["conditions"]
    return conditions


def test_a_verdict_stores_the_conditions_of_the_state_and_their_actual_values() -> None:
    verdict = verdict_of(episode_make(goal(cancelling(0)), cancelling(1)))
    failed = [one for one in conditions_of(verdict) if not one["is_held"]]
    assert {one["kind"] for one in failed} == {"goal", "frame"}
    assert failed[0]["expected"] == "cancelled"
    assert failed[0]["actual"] == "booked"


def test_a_reading_task_has_no_conditions() -> None:
    assert conditions_of(verdict_of(episode_make({}, cancelling(1)))) == []


def test_a_comparison_that_fails_never_costs_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("trips")

    monkeypatch.setattr(site_states, "_conditions", broken)
    event = cancelling(0)
    verdict = verdict_of(episode_make(goal(event), event))
    assert (verdict.outcome, conditions_of(verdict)) == ("correct", [])
    assert "pop_up_open_at_submit" in verdict.metrics
