"""Milestones and missing evidence in the trajectories of mock sites."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from tasks_app.models import Gold
from tests import factories
from trajectories.models import Episode, PageEvent, SiteEvent
from trajectories.record.api.auth import Principal
from trajectories.rollouts.episodes.retrieval import records, selectors

pytestmark = pytest.mark.django_db

READER = Principal(key_id=1, name="r", scopes=frozenset(["read"]), splits=frozenset())
NEEDS = ["listing/L-1/room/R-1/amenities", "listing/L-2/room/R-2/amenities"]
SECRET = "R-1-is-the-room"
WHEN = datetime(2026, 11, 20, 12, tzinfo=UTC)


def episode_make(*events: tuple[int | None, str, dict[str, Any]], **fields: Any) -> Episode:
    """An episode of ``missing_amenities`` at L-1; events are step, kind and data."""
    task = factories.task(
        kind="site", answer=f"Kettle|{SECRET}", tags=["family:missing_amenities", "level-1"]
    )
    extra = {"needs": NEEDS, "given": {"listing": "L-1", "rooms": [SECRET]}}
    Gold.objects.filter(task=task).update(extra=extra)
    episode = factories.episode(task=task, **fields)
    for seq, (step, kind, data) in enumerate(events, start=1):
        SiteEvent.objects.create(episode=episode, seq=seq, step=step, kind=kind, data=data, created_at=WHEN)
    return episode


def ended(*events: tuple[int | None, str, dict[str, Any]], **fields: Any) -> Episode:
    episode = episode_make(*events, **fields)
    factories.verdict(episode, "incorrect")
    return episode


def opened(listing: str, step: int | None = None) -> tuple[int | None, str, dict[str, Any]]:
    return step, "listing_opened", {"listing": listing}


def read(episode: Episode) -> dict[str, Any]:
    text = selectors.trajectory_text(episode_id=episode.pk, principal=READER)
    trajectory: dict[str, Any] = msgspec.json.decode(text)
    msgspec.convert(trajectory, records.Trajectory)
    return trajectory


def rewards_of(trajectory: dict[str, Any]) -> dict[int, Any]:
    return {step["index"]: step.get("rewards") for step in trajectory["steps"]}


def test_the_step_that_first_reached_a_milestone_has_it_in_its_rewards() -> None:
    episode = ended(opened("L-2", 1), opened("L-1", 2), opened("L-1", 3))
    factories.step(episode, 1, more={"rewards": {"format": 0.5}})
    factories.step(episode, 2, more={"rewards": {"format": 0.25}})
    factories.step(episode, 3)

    trajectory = read(episode)

    assert rewards_of(trajectory) == {
        1: {"format": 0.5},
        2: {"format": 0.25, "milestone/opened_right_listing": 1.0},
        3: None,
    }
    assert trajectory["milestones"] == [
        {"name": "opened_right_listing", "seq": 2, "step": 2},
        {"name": "opened_amenities", "seq": None, "step": None},
    ]


def test_milestones_leave_the_rest_of_a_trajectory_unchanged() -> None:
    episode = ended(opened("L-1", 1))
    text = 'a "milestones" : [] and "steps" : [ \\ é \u2028'
    odd = {"text": text, "big": 12345678901234567890, "part": 1e-7}
    factories.step(episode, 1, thought=text, more={"usage": odd})
    PageEvent.objects.create(
        episode=episode, page="p", seq=1, step=1, kind="click", at_ms=1, data=odd, received_at=WHEN
    )

    trajectory = read(episode)

    assert trajectory["page_events"][0]["data"] == odd
    assert (trajectory["steps"][0]["thought"], trajectory["steps"][0]["usage"]) == (text, odd)
    assert trajectory["steps"][0]["rewards"] == {"milestone/opened_right_listing": 1.0}
    assert [one["seq"] for one in trajectory["milestones"]] == [1, None]


def test_a_step_posted_after_the_verdict_has_its_milestone() -> None:
    episode = episode_make(opened("L-1", 4))
    factories.submission(episode, ["Kettle", "R-2"])
    factories.verdict(episode, "incorrect")
    assert rewards_of(read(episode)) == {}
    factories.step(episode, 4)
    assert rewards_of(read(episode)) == {4: {"milestone/opened_right_listing": 1.0}}


def test_an_episode_that_ran_out_of_steps_has_its_milestones() -> None:
    episode = episode_make(opened("L-1", 1))
    factories.verdict(episode, "incorrect", "step_budget", is_truncated=True)
    assert read(episode)["milestones"][0] == {"name": "opened_right_listing", "seq": 1, "step": 1}


def test_without_steps_a_milestone_names_only_its_event() -> None:
    episode = ended(opened("L-1"))
    factories.step(episode, 1)
    trajectory = read(episode)
    assert trajectory["milestones"][0] == {"name": "opened_right_listing", "seq": 1, "step": None}
    assert rewards_of(trajectory) == {1: None}


@pytest.mark.parametrize("status", ["open", "submitted"])
def test_milestones_are_hidden_until_the_end(status: str) -> None:
    episode = episode_make(opened("L-1", 1), status=status)
    factories.step(episode, 1, more={"rewards": {"format": 0.5}})

    trajectory = read(episode)

    assert (trajectory["milestones"], rewards_of(trajectory)) == ([], {1: {"format": 0.5}})
    factories.verdict(episode, "incorrect")
    assert [one["seq"] for one in read(episode)["milestones"]] == [1, None]


@pytest.mark.parametrize("arm", ["text_agent", "text_zero_shot"])
def test_arms_without_pages_have_no_milestones(arm: str) -> None:
    episode = ended()
    Episode.objects.filter(pk=episode.pk).update(arm=arm)
    assert read(episode)["milestones"] == []


def test_the_stream_of_a_run_has_the_milestones_of_its_episodes(api: Callable[..., Any]) -> None:
    episode = ended(opened("L-1", 1), (2, "amenities_opened", {"listing": "L-1"}))
    factories.step(episode, 1)
    factories.step(episode, 2)
    factories.episode(run=episode.run)
    client = api("read")

    _, alone = client.json("GET", f"/episodes/{episode.pk}/trajectory")
    lines = client.get(f"/api/v1/runs/{episode.run_id}/trajectories").getvalue().splitlines()

    assert msgspec.json.decode(lines[0]) == alone
    assert [one["seq"] for one in alone["milestones"]] == [1, 2]
    assert msgspec.json.decode(lines[1])["milestones"] == []


def test_the_input_of_milestones_is_never_sent(api: Callable[..., Any]) -> None:
    episode = ended(opened("L-1", 1))
    text = api("read").get(f"/api/v1/episodes/{episode.pk}/trajectory").getvalue().decode()
    assert SECRET not in text
    assert NEEDS[1] not in text


def marks_of(episode: Episode) -> dict[str, bool | None]:
    return {event["kind"]: event["no_ui_evidence"] for event in read(episode)["site_events"]}


CHANGED = (
    (1, "page_served", {}),
    (2, "listing_opened", {"listing": "L-2"}),
    (3, "cancelled", {"trip": "T"}),
    (4, "answer_recorded", {}),
)


def test_changes_and_the_answer_are_marked_without_events_of_their_page() -> None:
    episode = episode_make(*CHANGED)
    PageEvent.objects.create(
        episode=episode, page="p", seq=1, step=3, kind="click", at_ms=1, received_at=WHEN.replace(year=2027)
    )
    marks = {"page_served": None, "listing_opened": None, "cancelled": False, "answer_recorded": True}
    assert marks_of(episode) == marks


def test_trajectories_say_what_is_a_claim_of_a_page_and_what_the_servers_record() -> None:
    episode = episode_make(*CHANGED)
    PageEvent.objects.create(episode=episode, page="p", seq=1, kind="click", at_ms=1)
    trajectory = read(episode)
    assert {event["source"] for event in trajectory["page_events"]} == {"page"}
    assert {event["source"] for event in trajectory["site_events"]} == {"server"}


def test_nothing_is_marked_where_page_events_are_not_recorded() -> None:
    assert set(marks_of(episode_make(*CHANGED, recording="off")).values()) == {None}


def test_the_lab_role_can_read_the_input_of_milestones(as_role: Callable[[str], Any]) -> None:
    episode = ended(opened("L-1", 1))
    with as_role("gym_lab"):
        assert read(episode)["milestones"][0]["seq"] == 1
