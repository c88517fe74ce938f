"""Previews beside lists: what a row leads to, in short."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.lab.peek.page import THOUGHT_CHARS
from trajectories.models import Episode

pytestmark = pytest.mark.usefixtures("own_storages")
Lab = Callable[[User | None], LabClient]


@pytest.fixture
def wrong(db: None) -> Episode:
    """Answered 7 where 8 is right, after two steps."""
    task = factories.task(
        answer="8", prompt="Which cube is <b>2</b>?", payload={"text": "How much is 2 cubed?"}
    )
    episode = factories.episode(task=task, arm="gym")
    factories.step(episode, 1, thought="I read the question.", action_type="click")
    factories.step(episode, 2, thought="I type 7. " + "x" * THOUGHT_CHARS, action_type="type")
    factories.submission(episode, "7")
    factories.verdict(episode, "incorrect")
    return episode


def peek(lab: Lab, user: User, address: str) -> str:
    return lab(user).get(address).content.decode()


def test_an_episode_is_previewed_at_its_last_step_or_at_the_one_that_matches(
    lab: Lab, annotator: User, wrong: Episode
) -> None:
    last = peek(lab, annotator, f"/episodes/{wrong.pk}/peek")
    assert last.strip().startswith("<article")
    assert "How much is 2 cubed?" in last
    assert f"I type 7. {'x' * 40}" in last
    assert "x" * THOUGHT_CHARS not in last
    assert f'href="/episodes/{wrong.pk}/steps/2"' in last
    assert "I read the question." in peek(lab, annotator, f"/episodes/{wrong.pk}/peek?step=1")


def test_the_gold_of_a_preview_is_behind_the_switch(
    lab: Lab, owner: User, annotator: User, wrong: Episode
) -> None:
    client = lab(owner)
    address = f"/episodes/{wrong.pk}/peek"
    assert "differs from" not in client.get(address).content.decode()
    client.post(f"/episodes/{wrong.pk}/gold", {"shows": "1"})
    assert 'aria-label="differs from"' in client.get(address).content.decode()
    assert "gold-switch" not in peek(lab, annotator, address)


def test_a_run_and_a_task_are_previewed_with_their_arms(lab: Lab, annotator: User, wrong: Episode) -> None:
    run = peek(lab, annotator, f"/runs/{wrong.run_id}/peek")
    assert f'href="/search?run={wrong.run_id}&amp;outcome=incorrect"' in run
    task = peek(lab, annotator, f"/tasks/{wrong.task_id}/peek")
    assert "How much is 2 cubed?" in task
    for html in (run, task):
        assert "Accuracy by arm" in html
        assert "Page" in html


@pytest.mark.parametrize("address", ["/runs/999/peek", "/tasks/999/peek", "/episodes/999/peek"])
def test_what_does_not_exist_has_no_preview(lab: Lab, annotator: User, db: None, address: str) -> None:
    assert lab(annotator).get(address).status_code == 404


def test_every_row_of_a_list_leads_to_its_preview(lab: Lab, annotator: User, wrong: Episode) -> None:
    client = lab(annotator)
    for page, address in (
        ("/", f"/runs/{wrong.run_id}/peek"),
        ("/search", f"/episodes/{wrong.pk}/peek"),
        ("/tasks/", f"/tasks/{wrong.task_id}/peek"),
    ):
        html = client.get(page).content.decode()
        assert f'data-peek="{address}"' in html
        assert "data-peek-open" in html
