"""What the rules say of recorded episodes."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from tasks_app.models import Gold, Task
from tests import factories
from tests.rollouts.episodes.test_trajectory_milestones import ended, opened
from trajectories.behaviour.facts.store import facts_compute
from trajectories.models import Episode, PageEvent
from trajectories.rewards.store import components_of, readings_of
from trajectories.rewards.types import Values

pytestmark = pytest.mark.django_db


def computed(episode: Episode) -> dict[str, Values]:
    (reading,) = readings_of([episode.pk])
    return components_of(reading)


def acted(episode: Episode, index: int, action: dict[str, Any] | None = None, **fields: Any) -> None:
    """A step that clicked, unless another action is given; with another ``url`` it stood on another page."""
    action = action or {"type": "click", "target": "e3"}
    values = {"action_result": "ok", "url": "https://gym/", "observation_text": "page", **fields}
    factories.step(episode, index, action=action, action_type=action["type"], **values)


def unread(episode: Episode, index: int) -> None:
    """A step of whose completion nothing could be made."""
    factories.step(
        episode, index, action=None, action_type="", parse_error="No action.", action_result="invalid"
    )


def over(episode: Episode, outcome: str = "incorrect") -> Episode:
    factories.verdict(episode, outcome)
    return episode


def test_syntax_counts_completions_that_could_be_read() -> None:
    episode = factories.episode()
    acted(episode, 1)
    unread(episode, 2)
    acted(episode, 3)
    acted(episode, 4)
    assert computed(over(episode))["syntax"] == Values(0.75, {1: 1.0, 2: 0.0, 3: 1.0, 4: 1.0})


def test_executed_speaks_of_actions_that_are_meant_to_do_something() -> None:
    episode = factories.episode(arm="text_agent", recording="off")
    acted(episode, 1)
    acted(episode, 2, action_result="no_target")
    acted(episode, 3, {"type": "noop"})
    unread(episode, 4)
    assert computed(over(episode))["executed"] == Values(0.5, {1: 1.0, 2: 0.0})


def test_an_action_without_an_effect_was_not_executed_and_the_last_one_may_still_be_seen() -> None:
    episode = factories.episode()
    page = 'page "P" https://gym/\n[e2] textbox "Your answer" value=""\n[e3] button "Submit"\n'
    shown = {"observation_kind": "axtree-v2", "observation_text": page, "started_at": timezone.now()}
    acted(episode, 1, {"type": "type", "target": "e2", "text": "4"}, **shown)
    acted(episode, 2, **shown)
    acted(episode, 3, **shown)
    typed = {"role": "textbox", "name": "Your answer", "value": "4"}
    PageEvent.objects.create(episode=episode, page="p", seq=1, step=1, kind="input", at_ms=5, data=typed)
    before_facts = computed(over(episode))
    facts_compute([episode.pk])
    expected = Values(2 / 3, {1: 1.0, 2: 0.0, 3: 1.0})
    assert before_facts["executed"] == expected == computed(episode)["executed"]


def test_a_repetition_is_seen_with_and_without_stored_facts() -> None:
    episode = factories.episode()
    acted(episode, 1)
    acted(episode, 2, url="https://gym/two", observation_text="another page")
    acted(episode, 3)
    before_facts = computed(over(episode))
    facts_compute([episode.pk])
    assert before_facts == computed(episode)
    assert before_facts["repeated"] == Values(pytest.approx(1 / 3), {1: 0.0, 2: 0.0, 3: 1.0})


def test_navigation_pays_the_step_that_led_to_a_new_page() -> None:
    episode = factories.episode()
    for index, page in enumerate(("a", "b", "b", "a", "c"), start=1):
        acted(episode, index, url=f"https://gym/{page}", observation_text=page)
    assert computed(over(episode))["navigation"] == Values(pytest.approx(2 / 3), {1: 1.0, 3: 0.0, 4: 1.0})


def test_an_episode_on_one_page_has_no_navigation() -> None:
    episode = factories.episode()
    acted(episode, 1)
    acted(episode, 2)
    assert "navigation" not in computed(over(episode))


def test_length_is_known_where_every_step_says_so() -> None:
    episode = factories.episode()
    acted(episode, 1, more={"usage": {"completion": 30}})
    acted(episode, 2, more={"usage": {"completion": 12}})
    assert computed(over(episode))["length"] == Values(42.0)
    other = factories.episode()
    acted(other, 1, more={"usage": {"completion": 30}})
    acted(other, 2)
    assert "length" not in computed(over(other))


def _with_fields(given: list[str], outcome: str) -> Episode:
    task = factories.task(
        answer="Grand Hotel|2 nights|EUR", payload={"fields": ["Hotel", "Nights", "Currency"]}
    )
    episode = factories.episode(task=task)
    acted(episode, 1)
    factories.submission(episode, given)
    return over(episode, outcome)


@pytest.mark.parametrize(
    ("given", "share"),
    [(["grand hotel ", "3 nights", "EUR"], 2 / 3), (["EUR", "Grand Hotel"], 0.0), (["Grand Hotel"], 1 / 3)],
)
def test_form_is_the_share_of_fields_that_are_right(given: list[str], share: float) -> None:
    assert computed(_with_fields(given, "incorrect"))["form"] == Values(pytest.approx(share))


def test_the_form_of_a_correct_answer_is_right_however_it_is_written() -> None:
    assert computed(_with_fields(["The Grand", "two", "euro"], "correct"))["form"] == Values(1.0)


def test_one_field_has_no_form() -> None:
    episode = factories.episode()
    acted(episode, 1)
    factories.submission(episode, "41")
    assert "form" not in computed(over(episode))


def test_milestones_are_those_of_the_trajectory() -> None:
    episode = ended(opened("L-2", 1), opened("L-1", 2))
    acted(episode, 1)
    acted(episode, 2)
    values = computed(episode)
    assert values["milestone/opened_right_listing"] == Values(1.0, {2: 1.0})
    assert values["milestone/opened_amenities"] == Values(0.0)


def test_a_milestone_that_nobody_s_step_reached_is_no_step_s() -> None:
    episode = ended(opened("L-1", 2))
    acted(episode, 1)
    acted(episode, 2, actor="person")
    values = computed(episode)
    assert values["milestone/opened_right_listing"] == Values(1.0)
    assert values["syntax"] == Values(1.0, {1: 1.0}), "a person's steps earn the policy nothing"


def test_a_task_whose_gold_is_gone_has_no_milestones() -> None:
    episode = ended(opened("L-1", 1))
    acted(episode, 1)
    Gold.objects.filter(task=episode.task).update(is_current=False)
    assert not [name for name in computed(episode) if name.startswith("milestone/")]
    assert Task.objects.filter(pk=episode.task_id).exists()


def test_a_void_episode_has_no_components() -> None:
    episode = factories.episode()
    acted(episode, 1)
    factories.verdict(episode, "void", "cancelled")
    assert computed(episode) == {}


def test_nothing_is_read_of_an_episode_that_goes_on() -> None:
    episode = factories.episode()
    acted(episode, 1)
    assert readings_of([episode.pk]) == []


def test_an_episode_without_steps_has_no_values_of_steps() -> None:
    assert computed(over(factories.episode())) == {}
