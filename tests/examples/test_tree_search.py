"""Tree search over forks: the search alone, and the weak policy on a page."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from palaestra import Client
from palaestra.http.transport import Transport
from tests import factories

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "tree_search"
PAGE = """page "Accommodation" https://gym/
region "Task"
  [e1] summary "Answer" expanded
  [e2] textbox "Total in euros" value="{first}"
  [e3] textbox "Listing number" value="{second}"
  [e4] button "Submit answer"
main
  [e9] button "Search accommodation"
"""
LABELS = ("Total in euros", "Listing number")


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = ("search", "weak_policy")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield tuple(importlib.import_module(name) for name in names)
    for name in names:
        del sys.modules[name]


class Game:
    """Right is who says yes three times; an episode knows what was tried in it, step by step."""

    length = 3

    def __init__(self, search: Any, *, chance: float = 0.5, void: frozenset[int] = frozenset()) -> None:
        self._search, self._chance, self._random, self._void = search, chance, Random(1), void
        self.episodes: list[list[bool]] = [[False] * self.length]
        self.forked: list[tuple[int, int]] = []

    async def play(self, node: Any) -> Any:
        self.forked.append((node.episode, node.step))
        moves = self.episodes[node.episode][: node.step]
        assert len(moves) == node.step < self.length
        while len(moves) < self.length:
            moves.append(self._random.random() < self._chance)
        self.episodes.append(moves)
        episode = len(self.episodes) - 1
        reward = None if episode in self._void else float(all(moves))
        return self._search.Rollout(episode, node.step + 1, self.length, reward)

    def search(self, **settings: Any) -> Any:
        search = self._search.Search(self._search.Node(0, 0), self.play, self._search.Settings(**settings))
        asyncio.run(search.run())
        return search


def test_a_tree_is_as_wide_and_as_deep_as_its_settings_say(example: Any) -> None:
    search = Game(example[0]).search(actions=10_000, width=3, depth=2, rollouts=1)
    nodes = list(search.root.walk())
    assert [len(node.children) for node in nodes if node.depth < 2] == [3] * 4
    assert max(node.depth for node in nodes) == 2


def test_the_actions_of_forks_alone_are_spent(example: Any) -> None:
    game = Game(example[0])
    search = game.search(actions=30, width=2, rollouts=2)
    spent = sum(game.length - step for _, step in game.forked)
    assert search.spent == spent
    assert 30 <= spent < 30 + game.length


def test_the_value_of_a_node_is_the_mean_of_the_rollouts_through_it(example: Any) -> None:
    search = Game(example[0]).search(actions=200, width=2, rollouts=3)
    root = search.root
    assert root.visits == len(search.rewards) == sum(child.visits for child in root.children)
    assert root.value == sum(search.rewards)
    assert all(0 <= node.mean <= 1 for node in root.walk())


def test_the_better_half_of_a_tree_is_searched_more(example: Any) -> None:
    search_module = example[0]
    root = search_module.Node(0, 0, visits=8, value=4.0)
    good, bad = (
        search_module.Node(place, 1, parent=root, visits=4, value=value) for place, value in ((1, 4), (2, 0))
    )
    root.children = [bad, good]
    search = search_module.Search(root, None, search_module.Settings(actions=1, width=2))
    assert search.select() is good
    explored = search_module.Search(root, None, search_module.Settings(actions=1, width=2, exploration=9.0))
    bad.visits = 1
    assert explored.select() is bad


def test_void_rollouts_teach_nothing_and_are_not_forked(example: Any) -> None:
    game = Game(example[0], void=frozenset({1, 2, 3}))
    search = game.search(actions=60, width=3, rollouts=2)
    assert not {episode for episode, _ in game.forked} & {1, 2, 3}
    assert search.root.visits == len(search.rewards)


def test_search_finds_more_than_sampling_where_success_is_a_chain(example: Any) -> None:
    sample, search = 0.0, 0.0
    for seed in range(30):
        game = Game(example[0], chance=0.3)
        game._random = Random(seed)
        search += sum(game.search(actions=90).rewards)
        chances = Random(seed)
        sample += sum(all(chances.random() < 0.3 for _ in range(3)) for _ in range(30))
    assert search > sample


@pytest.mark.parametrize(
    ("first", "second", "action"),
    [
        ("", "", '"type": "type", "target": "e2", "text": "12.50"'),
        ("12.50", "", '"type": "type", "target": "e3", "text": "L-1"'),
        ("12.50", "L-1", '"type": "click", "target": "e4"'),
    ],
)
def test_the_weak_policy_goes_on_from_what_the_page_shows(
    example: Any, monkeypatch: pytest.MonkeyPatch, first: str, second: str, action: str
) -> None:
    _, weak_policy = example
    monkeypatch.setattr(weak_policy, "IDLE", 0.0)
    policy = weak_policy.WeakPolicy({7: ("12.50", "L-1"), 8: ("9.00", "L-2")}, skill=1.0, seed=1)
    page = PAGE.format(first=first, second=second)
    assert action in policy.complete(page, task=7, labels=LABELS)


def test_the_weak_policy_errs_as_often_as_its_skill_says(example: Any) -> None:
    _, weak_policy = example
    policy = weak_policy.WeakPolicy({7: ("12.50", "L-1"), 8: ("9.00", "L-2")}, skill=0.25, seed=1)
    page = PAGE.format(first="", second="")
    moves = [policy.complete(page, task=7, labels=LABELS) for _ in range(2_000)]
    typed = [one for one in moves if '"type": "type"' in one]
    assert 0.2 < sum('"12.50"' in one for one in typed) / len(typed) < 0.3
    assert 1_700 < len(typed) < 1_900


@pytest.mark.django_db
def test_the_client_stores_values_and_reads_the_tree(trainer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def send(_: Transport, method: str, path: str, *, content: bytes = b"", **__: Any) -> Any:
        answer = trainer.generic(method, path, content, content_type="application/json")
        return httpx.Response(answer.status_code, content=answer.content)

    monkeypatch.setattr(Transport, "send", send)
    root = factories.episode()
    factories.step(root, 1)
    fork = factories.episode(group=factories.group(run=root.run, task=root.task), parent=root, begins_after=1)
    client = Client("http://lab", trainer.key)
    value = {"step": 1, "value": 0.5, "visits": 4}
    assert _done(client.step_values_store(fork.pk, [value])) == {"stored": 1}
    tree = _done(client.episode_tree(root.pk))["results"]
    assert [(node["id"], node["parent"], node["values"]) for node in tree] == [
        (root.pk, None, []),
        (fork.pk, root.pk, [value]),
    ]


def _done(call: Any) -> Any:
    """What a call comes to that waits for nothing: in an event loop Django would open another connection."""
    with pytest.raises(StopIteration) as end:
        call.send(None)
    return end.value.value
