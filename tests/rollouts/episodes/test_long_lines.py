"""Lines of many steps and trees of many episodes: no call holds in memory what all of their pages show."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from tasks_app.models import Gold
from tests import factories
from tests.conftest import ApiClient
from trajectories.models import Episode, SiteEvent, Step, StepValue
from trajectories.rollouts.episodes import trees
from trajectories.rollouts.episodes.conversations import STEPS_MAX
from trajectories.rollouts.episodes.forks.lineage import turns_until

pytestmark = pytest.mark.django_db
Api = Callable[..., ApiClient]
STEPS = STEPS_MAX + 500
PAGE = "a line of the page\n" * 1_000
PEAK_BYTES = 10_000_000
"""Of a call: a third of what the pages of the line have."""


def _record(episode: Episode, indices: range) -> None:
    Step.objects.bulk_create(
        Step(
            episode=episode,
            index=index,
            raw="I look.\n\nAction: {}",
            thought="I look.",
            action={"type": "noop"},
            action_result="ok",
            observation_kind="axtree-v2",
            observation_text=f"{index} {PAGE}",
            url="https://gym/",
            more={"element_ids": f"k{index}"},
        )
        for index in indices
    )
    factories.verdict(episode, "incorrect")


@pytest.fixture
def line() -> Episode:
    """An episode of many steps, of which each loads a page."""
    episode = factories.episode(max_steps=2 * STEPS)
    Gold.objects.filter(task=episode.task).update(created_at=F("created_at") - timedelta(days=1))
    _record(episode, range(1, STEPS + 1))
    SiteEvent.objects.bulk_create(
        SiteEvent(episode=episode, seq=index, step=index, kind="page_served", data={"path": ""})
        for index in range(1, STEPS + 1)
    )
    return episode


def _forked(client: ApiClient, parent: Episode, *, step: int) -> Episode:
    status, answer = _held(lambda: client.json("POST", f"/episodes/{parent.pk}/fork", {"step": step}))
    assert status == 201, answer
    return Episode.objects.get(pk=answer["episodes"][0]["id"])


def _held(call: Callable[[], Any]) -> Any:
    """What a call returns, once it was made within the memory that it may take."""
    call()  # imports are no part of it
    tracemalloc.start()
    try:
        answer = call()
        assert tracemalloc.get_traced_memory()[1] < PEAK_BYTES
    finally:
        tracemalloc.stop()
    return answer


def test_forks_and_interventions_read_what_they_need_of_a_long_line(api: Api, line: Episode) -> None:
    client = api("read", "trainer", "guidance")
    child = _forked(client, line, step=STEPS - 2)
    status, recipe = _held(lambda: client.json("POST", f"/episodes/{child.pk}/restore"))
    assert status == 200
    assert [len(act["served"]) for act in recipe["steps"]] == [0, *[1] * (STEPS - 2)]
    _record(child, range(STEPS - 1, STEPS + 1))
    grandchild = _forked(client, child, step=STEPS - 1)

    def get(path: str) -> Any:
        return _held(lambda: client.json("GET", path))

    for episode in (child, grandchild):
        status, answer = get(f"/episodes/{episode.pk}/messages")
        assert status == 200
        assert not any(message.get("copied") for message in answer["messages"])
    for episode in (line, child):
        status, answer = get(f"/episodes/{episode.pk}/substeps")
        assert (status, answer["error"]["code"]) == (413, "conversation_too_long")
    body = {"step": STEPS - 5, "substep": 2, "text": "Wait."}
    status, answer = _held(lambda: client.json("POST", f"/episodes/{line.pk}/interventions", body))
    assert status == 201, answer
    assert answer["intervention"]["message"]["content"] == "I look.\n\nWait."


def test_turns_can_be_read_since_a_step(line: Episode) -> None:
    child = factories.episode(group=line.group, parent=line, begins_after=4)
    _record(child, range(5, 7))
    assert [turn.index for turn in turns_until(child.pk, 6)] == [1, 2, 3, 4, 5, 6]
    assert [turn.index for turn in turns_until(child.pk, 6, since=4)] == [4, 5, 6]
    assert [turn.index for turn in turns_until(child.pk, 5, since=5)] == [5]
    assert turns_until(child.pk, 7, since=7) == []


def test_a_page_of_a_tree_ends_where_it_has_many_values(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "PAGE_VALUES", 5)
    root = factories.episode()
    forks = [factories.episode(group=root.group, parent=root, begins_after=0) for _ in range(4)]
    StepValue.objects.bulk_create(
        StepValue(episode=fork, step=step, value=0.5, visits=1) for fork in forks for step in range(4)
    )
    client, query, pages = api("read"), "", []
    while True:
        status, answer = client.json("GET", f"/episodes/{root.pk}/tree{query}")
        assert status == 200
        pages.append([(node["id"], len(node["values"])) for node in answer["results"]])
        if answer["next"] is None:
            break
        query = f"?cursor={answer['next']}"
    first, second, third, fourth = [fork.pk for fork in forks]
    assert pages == [[(root.pk, 0), (first, 4), (second, 4)], [(third, 4), (fourth, 4)]]
