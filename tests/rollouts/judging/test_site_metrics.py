"""The diagnostic metrics of a verdict on a mock site. None of them is the reward."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests import factories
from tests.rollouts.judging.test_site_states import cancelling, episode_make, goal, verdict_of
from trajectories.models import Episode, PageEvent, SiteEvent
from trajectories.rollouts.judging import site_states

pytestmark = pytest.mark.django_db

Event = tuple[str, dict[str, Any]]
NEWS = {"name": "newsletter"}
NEEDS = ["trips", "listing/L-1/policy"]
WHEN = datetime(2026, 11, 20, 12, tzinfo=UTC)


def shown(*facts: str) -> Event:
    return "shown", {"facts": list(facts)}


def metrics_of(episode: Episode) -> dict[str, float]:
    return verdict_of(episode).metrics


@pytest.mark.parametrize(
    ("events", "is_open"),
    [
        ([], 0.0),
        ([("pop_up_shown", NEWS)], 1.0),
        ([("pop_up_shown", NEWS), ("banner_closed", NEWS)], 0.0),
        ([("pop_up_shown", NEWS), ("banner_closed", NEWS), ("pop_up_shown", NEWS)], 1.0),
        ([("pop_up_shown", NEWS), ("banner_closed", {"name": "cookies"})], 1.0),
        ([("answer_recorded", {}), ("pop_up_shown", NEWS)], 0.0),
    ],
)
def test_a_pop_up_counts_if_it_was_open_at_the_answer(events: list[Event], is_open: float) -> None:
    assert metrics_of(episode_make({}, *events))["pop_up_open_at_submit"] == is_open


@pytest.mark.parametrize(
    ("events", "is_early"),
    [
        ([], 1.0),
        ([shown("trips")], 1.0),
        ([shown("trips"), shown("listing/L-1/policy", "listing/L-2/fees")], 0.0),
        ([shown("trips"), ("answer_recorded", {}), shown("listing/L-1/policy")], 1.0),
    ],
)
def test_an_answer_is_early_until_all_its_evidence_was_shown(events: list[Event], is_early: float) -> None:
    assert metrics_of(episode_make({"needs": NEEDS}, *events))["submitted_before_evidence"] == is_early


def test_a_task_without_needs_has_no_evidence_metric() -> None:
    assert "submitted_before_evidence" not in metrics_of(episode_make({}))


def test_evidence_is_not_measured_past_the_limit_on_noted_looks(monkeypatch: Any) -> None:
    monkeypatch.setattr(site_states.evidence, "LOOKS_MAX", 2)
    served = [("page_served", {})] * 5
    assert "submitted_before_evidence" in metrics_of(episode_make({"needs": NEEDS}, shown("trips"), *served))
    metrics = metrics_of(episode_make({"needs": NEEDS}, shown("trips"), shown("x")))
    assert "submitted_before_evidence" not in metrics


@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        ("gym", {"pop_up_open_at_submit", "no_ui_evidence", "submitted_before_evidence"}),
        ("gym_with_text", {"pop_up_open_at_submit", "no_ui_evidence"}),
        ("text_zero_shot", set()),
        ("text_agent", set()),
    ],
)
def test_evidence_is_measured_only_in_arms_that_see_the_world_through_pages(
    arm: str, expected: set[str]
) -> None:
    episode = episode_make({"needs": NEEDS})
    Episode.objects.filter(pk=episode.pk).update(arm=arm)
    assert metrics_of(episode).keys() - {"values_right", "state_right"} == expected


def acted(episode: Episode, kind: str = "click", *, step: int | None = None, after_s: float = 0.0) -> None:
    """An act that a page reported, received so long after the changes of ``change_make``."""
    number = PageEvent.objects.filter(episode=episode).count() + 1
    PageEvent.objects.create(
        episode=episode,
        page="p",
        seq=number,
        kind=kind,
        at_ms=1,
        step=step,
        received_at=WHEN + timedelta(seconds=after_s),
    )


def changed(*, step: int | None = None) -> Episode:
    """An episode with one look and one change."""
    event = cancelling(0)
    episode = episode_make(goal(event), ("listing_opened", {"listing": "L-1"}), event)
    SiteEvent.objects.filter(episode=episode).update(created_at=WHEN, step=step)
    return episode


@pytest.mark.parametrize(
    ("acts", "count"),
    [
        ([], 1.0),
        ([{"after_s": 0.4}], 0.0),
        ([{"after_s": -4.0}], 0.0),
        ([{"after_s": 60.0}], 1.0),
        ([{"kind": "scroll"}, {"kind": "load"}, {"kind": "visible"}], 1.0),
        ([{"kind": "key"}], 0.0),
    ],
)
def test_a_change_without_a_step_needs_an_act_near_it_in_time(
    acts: list[dict[str, Any]], count: float
) -> None:
    episode = changed()
    for act in acts:
        acted(episode, **act)
    assert metrics_of(episode)["no_ui_evidence"] == count


@pytest.mark.parametrize(("step", "count"), [(3, 0.0), (4, 1.0), (None, 1.0)])
def test_an_act_of_the_same_step_is_evidence_whenever_it_arrives(step: int | None, count: float) -> None:
    episode = changed(step=3)
    acted(episode, step=step, after_s=60)
    assert metrics_of(episode)["no_ui_evidence"] == count


@pytest.mark.parametrize(("data", "count"), [({"trusted": False}, 1.0), ({"trusted": True}, 0.0), ({}, 0.0)])
def test_a_click_of_the_pages_own_script_is_no_evidence(data: dict[str, Any], count: float) -> None:
    episode = changed()
    acted(episode)
    PageEvent.objects.filter(episode=episode).update(data=data)
    assert metrics_of(episode)["no_ui_evidence"] == count


def test_no_claim_is_evidence_where_the_server_has_served_no_page() -> None:
    episode = changed()
    acted(episode)
    SiteEvent.objects.filter(episode=episode, kind="page_served").delete()
    assert metrics_of(episode)["no_ui_evidence"] == 1.0


def test_interface_evidence_is_not_measured_without_recording() -> None:
    episode = changed()
    Episode.objects.filter(pk=episode.pk).update(recording="off")
    assert "no_ui_evidence" not in metrics_of(episode)


def test_changes_after_the_cap_on_page_events_are_not_counted() -> None:
    episode = changed()
    acted(episode, "capped", after_s=-60)
    assert metrics_of(episode)["no_ui_evidence"] == 0.0


def test_metrics_name_the_milestones_of_the_tasks_family() -> None:
    event = cancelling(0)
    code = event[1]["trip"]
    extra = goal(event) | {"needs": ["trips"], "given": {"trips": [code], "rooms": []}}
    episode = episode_make(extra, shown("trips"))
    episode.task.tags = ["family:cancel_and_rebook"]
    episode.task.save()

    metrics = metrics_of(episode)

    assert {name: value for name, value in metrics.items() if name.startswith("milestone")} == {
        "milestones_reached": 0.25,
        "milestone/opened_trips": 1.0,
        "milestone/saw_every_policy": 0.0,
        "milestone/cancelled_right_trip": 0.0,
        "milestone/booked_right_room": 0.0,
    }


def test_a_failing_diagnostic_metric_never_costs_a_verdict(monkeypatch: Any) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("facts")

    monkeypatch.setattr(site_states.evidence, "facts_shown", broken)
    verdict = verdict_of(episode_make({"needs": NEEDS}))
    assert (verdict.outcome, verdict.metrics.keys()) == ("correct", {"values_right", "state_right"})


def test_a_retired_family_has_no_milestones() -> None:
    episode = episode_make({})
    episode.task.tags = ["family:gone", "level-1"]
    episode.task.save()
    assert "milestones_reached" not in metrics_of(episode)


def test_tasks_of_other_kinds_have_no_site_metrics() -> None:
    episode = factories.episode()
    assert verdict_of(episode, "42").metrics == {}
