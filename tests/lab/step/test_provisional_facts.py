"""Provisional facts of the steps of an open episode."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests import factories
from tests.conftest import LabClient
from tests.lab.long_scene import long_episode
from trajectories.behaviour.facts import source, store
from trajectories.behaviour.facts.source import source_part
from trajectories.models import Episode, PageEvent, StepFacts
from trajectories.shell.queries import step_facts
from trajectories.shell.queries.step_facts import provisional_facts, provisional_labels

Lab = Callable[[User | None], LabClient]
FIELDS = (
    "action_check",
    "action_check_detail",
    "is_page_change",
    "is_backtrack",
    "repeats",
    "thought_words",
    "restates",
)


def click(episode: Episode, index: int, *, is_seen: bool = True) -> None:
    observation = f'[e1] button "Next"\nPage {index}'
    action = {"type": "click", "target": "e1"}
    factories.step(episode, index, action=action, action_type="click", observation_text=observation)
    if is_seen:
        PageEvent.objects.create(
            episode=episode,
            page="p",
            seq=index,
            step=index,
            kind="click",
            at_ms=1.0,
            data={"role": "button", "name": "Next", "trusted": True},
        )


def checks_of(index: dict[str, Any]) -> list[str | None]:
    """The label of each step's action check in the index."""
    place = index["fields"].index("check")
    return [None if row[place] is None else index["checks"][row[place]][1] for row in index["steps"]]


def test_provisional_facts_equal_the_final_ones(db: None) -> None:
    episode = long_episode(steps=30, pictures=0)
    soon = provisional_facts(episode_id=episode.pk, first=5, last=29)
    assert not StepFacts.objects.exists()
    store.facts_compute([episode.pk])
    for final in StepFacts.objects.filter(episode_id=episode.pk, index__range=(5, 29)):
        assert {name: getattr(soon[final.index], name) for name in FIELDS} == {
            name: getattr(final, name) for name in FIELDS
        }


PAGE = '[e1] button "Next"\n[e2] combobox "Sort" options: "Price", "Name"\nRooms in Lisbon'
LONG = "A long page. " * 5_000


def made(episode: Episode) -> None:
    """Steps whose pages differ in element ids, in words, at their far end, in pictures, or not at all."""
    click_next = {"type": "click", "target": "e1"}
    choose = {"type": "select", "target": "e2", "value": "Rating"}
    shown: list[tuple[str, dict[str, Any] | None, dict[str, Any]]] = [
        (PAGE, click_next, {"url": "/rooms"}),
        (PAGE, click_next, {"url": "/rooms"}),
        (PAGE.replace("[e2] ", "[e99] "), click_next, {"url": "/room"}),
        (PAGE.replace("Lisbon", "Porto"), click_next, {"url": "/rooms"}),
        (PAGE, choose, {}),
        ('[e2] link "Next"\n' + PAGE.replace("[e2]", "[e3]"), choose, {}),
        (LONG + "left", {"type": "scroll", "dy": 5}, {}),
        (LONG + "right", {"type": "scroll", "dy": 5}, {}),
        (LONG + '\n[e7] button "Far"', {"type": "click", "target": "e7"}, {}),
        (LONG + '\n[e7] button "Far"', {"type": "click", "target": "e7"}, {}),
        ("", {"type": "wait"}, {"screenshot": "a" * 64}),
        ("", {"type": "wait"}, {"screenshot": "a" * 64}),
        ("", {"type": "wait"}, {"screenshot": "b" * 64}),
        ("\n\\d [e1] %s \u2028\nx", {"type": "click", "target": 7}, {}),
        ("[e1] [e2] ", None, {}),
        ("[e3] ", None, {}),
        ("plain", {"type": "click", "target": "e1'; --"}, {}),
    ]
    for index, (observation, action, more) in enumerate(shown, start=1):
        kind = action["type"] if action else ""
        thought = "Rooms in Lisbon: I press the button Next."
        factories.step(
            episode,
            index,
            observation_text=observation,
            action=action,
            action_type=kind,
            thought=thought,
            **more,
        )
        data: dict[str, Any] = {"role": "button", "name": ("Next", "Far")[index > 8], "trusted": True}
        if kind == "select":
            data = {"role": "combobox", "name": "Sort", "value": "Name", "trusted": True}
        event = {"page": "p", "seq": index, "step": index, "kind": "input" if kind == "select" else "click"}
        PageEvent.objects.create(episode=episode, at_ms=1.0, data=data, **event)


def test_facts_of_a_part_equal_those_of_the_whole_episode(db: None) -> None:
    episode = factories.episode()
    made(episode)
    last = episode.steps.count()
    marks = provisional_labels(episode_id=episode.pk, first=1, last=last - 1)
    alone = {
        index: provisional_facts(episode_id=episode.pk, first=index, last=index)[index]
        for index in range(1, last)
    }
    store.facts_compute([episode.pk])
    final = {one.index: one for one in StepFacts.objects.filter(episode_id=episode.pk, index__lt=last)}
    assert {index: (one.repeats, one.action_check) for index, one in marks.items()} == {
        index: (one.repeats, one.action_check) for index, one in final.items()
    }
    for index, one in final.items():
        assert {name: getattr(alone[index], name) for name in FIELDS} == {
            name: getattr(one, name) for name in FIELDS
        }
    assert {index for index, one in final.items() if one.repeats} == {2, 3, 10, 12}
    assert {one.action_check for one in final.values()} >= {"confirmed", "different_effect", "no_effect"}


def test_the_timeline_reads_no_whole_observation(db: None) -> None:
    episode = factories.episode()
    made(episode)
    part = source_part(episode_id=episode.pk, first=2, last=2, reach=50, is_whole=True)
    timeline = source_part(episode_id=episode.pk, first=1, last=20, reach=50, is_whole=False)
    assert part is not None
    assert timeline is not None
    assert [len(step.observation) < 100 for step in timeline.steps] == [True] * 17
    assert [step.observation for step in part.steps] == ['[e1] button "Next"', PAGE, '[e1] button "Next"']


@pytest.mark.parametrize("is_numbered", [True, False])
def test_requested_steps_keep_their_events_however_many_others_have(
    db: None, monkeypatch: pytest.MonkeyPatch, is_numbered: bool
) -> None:
    monkeypatch.setattr(source, "PART_EVENTS_MAX", 12)
    episode, begun = factories.episode(), timezone.now() - timedelta(hours=1)
    for index in range(1, 7):
        click(episode, index, is_seen=False)
        started = begun + timedelta(seconds=10 * index)
        episode.steps.filter(index=index).update(started_at=started, duration_ms=5_000.0)
        for seq in range(20 if index != 4 else 3):
            event = {
                "page": "p",
                "seq": 100 * index + seq,
                "step": index if is_numbered else None,
                "at_ms": 1.0,
            }
            data = {"role": "button", "name": "Next", "trusted": True} if seq == 2 else {}
            kind = "click" if seq == 2 else "scroll"
            made = PageEvent.objects.create(episode=episode, kind=kind, data=data, **event)
            PageEvent.objects.filter(pk=made.pk).update(received_at=started + timedelta(milliseconds=seq))
    labels = provisional_labels(episode_id=episode.pk, first=4, last=4)
    assert labels[4].action_check == "confirmed"


def test_an_event_of_another_step_shows_that_the_page_reports(db: None) -> None:
    episode = factories.episode()
    for index in range(1, 100):
        click(episode, index, is_seen=index == 1)
    facts = provisional_facts(episode_id=episode.pk, first=80, last=81)
    assert [fact.action_check for fact in facts.values()] == ["no_effect", "no_effect"]


def test_the_newest_step_is_not_marked_as_without_effect_before_its_events_can_arrive(db: None) -> None:
    episode = factories.episode()
    click(episode, 1)
    click(episode, 2, is_seen=False)
    assert provisional_facts(episode_id=episode.pk, first=1, last=2)[2].action_check == "unknown"
    click(episode, 3)
    assert provisional_facts(episode_id=episode.pk, first=1, last=3)[2].action_check == "no_effect"


def test_a_new_step_on_a_missing_element_says_so_at_once(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    action = {"type": "click", "target": "e8"}
    factories.step(
        episode,
        1,
        action=action,
        action_type="click",
        action_result="no_target",
        observation_text="[e1] main",
    )
    html = lab(annotator).get(f"/episodes/{episode.pk}/steps/1").content.decode()
    assert "the action named an element that was not on the page: e8" in html
    assert "Effect unknown" not in html


@pytest.mark.parametrize("observation", ["", "[e1] main".ljust(source.OBSERVATION_CHARS + 9) + "[e8] link"])
def test_an_element_is_not_called_missing_if_the_observation_is_incomplete(
    db: None, observation: str
) -> None:
    episode, neutral = factories.episode(), "the harness found no element to act on"
    acted = {"action": {"type": "click", "target": "e8"}, "action_result": "no_target"}
    factories.step(episode, 1, **acted, action_type="click", observation_text=observation)
    factories.step(episode, 2, **acted, action_type="click", observation_text="[e1] main")

    for is_whole in (True, False):
        read = source_part(episode_id=episode.pk, first=1, last=2, reach=50, is_whole=is_whole)
        assert read is not None
        assert [step.is_observation_complete for step in read.steps] == [False, True]
    assert provisional_facts(episode_id=episode.pk, first=1, last=2)[1].action_check_detail == neutral
    store.facts_compute([episode.pk])
    first, second = StepFacts.objects.filter(episode_id=episode.pk).order_by("index")
    assert first.action_check_detail == neutral
    assert second.action_check_detail == "the action named an element that was not on the page: e8"


def test_provisional_facts_are_computed_for_a_limited_number_of_steps(db: None) -> None:
    episode = long_episode(steps=400, pictures=0)
    facts = provisional_facts(episode_id=episode.pk, first=1, last=400)
    assert list(facts) == list(range(401 - step_facts.STEPS_MAX, 401))


def test_the_timeline_labels_steps_that_are_not_checked_yet(
    lab: Lab, annotator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_facts, "STEPS_MAX", 2)
    episode = factories.episode()
    for index in range(1, 5):
        click(episode, index)
    address = f"/episodes/{episode.pk}/index.json"

    def checks() -> list[str | None]:
        return checks_of(lab(annotator).get(address).json())

    pending = "checked after the episode ends"
    assert checks() == [pending, pending, None, None]
    factories.verdict(episode)
    store.facts_compute([episode.pk])
    assert checks() == [None] * 4


def test_missing_steps_have_no_provisional_facts(db: None) -> None:
    assert provisional_facts(episode_id=999_999, first=1, last=10) == {}
    assert provisional_facts(episode_id=factories.episode().pk, first=1, last=10) == {}


def test_a_pending_check_says_why_it_is_pending_also_after_the_end(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index in (1, 2):
        click(episode, index, is_seen=index == 1)
    client, address = lab(annotator), f"/episodes/{episode.pk}/steps/2"
    settled = "measures have not been computed since the episode ended"

    html = client.get(address).content.decode()
    assert "Not checked yet" in html
    assert f">{step_facts.PENDING.detail}</p>" in html
    assert settled not in html
    factories.verdict(episode)
    assert settled in client.get(address).content.decode()
    store.facts_compute([episode.pk])
    html = client.get(address).content.decode()
    assert settled not in html
    assert "Action had no effect" in html
    assert "yet" not in html.partition("action-card")[2].partition("</section>")[0]


def test_an_open_episode_shows_its_badges_as_provisional(lab: Lab, annotator: User) -> None:
    episode = factories.episode()
    for index in (1, 2, 3):
        click(episode, index, is_seen=index != 2)
    client = lab(annotator)
    html = client.get(f"/episodes/{episode.pk}/steps/2").content.decode()
    assert "Action had no effect so far" in html
    assert 'id="measures"' in html
    index: dict[str, Any] = client.get(f"/episodes/{episode.pk}/index.json").json()
    assert index["is_provisional"] is True
    assert checks_of(index) == [None, "Action had no effect so far", None]
    store.facts_compute([episode.pk])
    assert "so far" not in client.get(f"/episodes/{episode.pk}/steps/2").content.decode()
    assert client.get(f"/episodes/{episode.pk}/index.json").json()["is_provisional"] is False
