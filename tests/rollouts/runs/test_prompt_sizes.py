from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests import factories

pytestmark = pytest.mark.django_db


def size(episode: int, characters: int, **more: int) -> dict[str, int]:
    return {"episode": episode, "characters": characters, "longest_characters": characters // 2, **more}


def prompts(api: Callable[..., Any], run: int) -> list[dict[str, Any]]:
    return [row["prompts"] for row in api("read").json("GET", f"/tasks/stats?run={run}")[1]["results"]]


def test_sizes_of_each_history_are_added_up_by_task_and_replaced_when_sent_again(
    api: Callable[..., Any],
) -> None:
    run, task = factories.run(), factories.task()
    one, two = (factories.episode(group=factories.group(run=run, task=task)).pk for _ in range(2))
    path = f"/runs/{run.pk}/prompt_sizes"
    known = {"tokens": 20, "longest_tokens": 10}

    first = {"history": "full", "episodes": [size(one, 900), size(two, 100)]}
    assert api("trainer").json("POST", path, first) == (200, {"stored": 2})
    again = {"history": "full", "episodes": [size(one, 60, **known)]}
    api("trainer").json("POST", path, again)
    least = {"history": "last_k:1", "episodes": [size(one, 80, **known), size(two, 40, **known)]}
    api("trainer").json("POST", path, least)

    full, last = prompts(api, run.pk)[0]
    assert full == {
        "history": "full",
        "episodes": 2,
        "characters": 160,
        "longest_characters": 50,
        "tokens": None,
        "longest_tokens": None,
    }, "tokens that are known of some episodes alone are no sum"
    assert last == {
        "history": "last_k:1",
        "episodes": 2,
        "characters": 120,
        "longest_characters": 40,
        "tokens": 40,
        "longest_tokens": 10,
    }


def test_sizes_of_an_episode_of_another_run_are_refused_and_none_is_stored(api: Callable[..., Any]) -> None:
    run = factories.run()
    own = factories.episode(group=factories.group(run=run)).pk
    other = factories.episode().pk
    body = {"history": "full", "episodes": [size(own, 10), size(other, 10)]}

    status, answer = api("trainer").json("POST", f"/runs/{run.pk}/prompt_sizes", body)

    assert (status, answer["error"]["code"]) == (422, "unknown_episode")
    assert str(other) in answer["error"]["message"]
    assert prompts(api, run.pk) == [[]]


@pytest.mark.parametrize(
    "body",
    [
        {"history": "all", "episodes": [size(1, 10)]},
        {"history": "full", "episodes": []},
        {"history": "full", "episodes": [{"episode": 1, "characters": 1, "longest_characters": 2}]},
        {"history": "full", "episodes": [size(1, -2)]},
        {"history": "full", "episodes": [size(1, 2**60)]},
    ],
)
def test_sizes_that_cannot_be_are_refused(api: Callable[..., Any], body: dict[str, Any]) -> None:
    assert api("trainer").json("POST", f"/runs/{factories.run().pk}/prompt_sizes", body)[0] == 400


def test_only_a_trainer_stores_sizes(api: Callable[..., Any]) -> None:
    run = factories.run()
    body = {"history": "full", "episodes": [size(factories.episode(group=factories.group(run=run)).pk, 10)]}
    assert api("read").json("POST", f"/runs/{run.pk}/prompt_sizes", body)[0] == 403
