"""Monte Carlo tree search over forks: what to try next, and what was worth it. It knows nothing of pages."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    """Agent-R's: an exploration constant of 0.25, ten steps deep, four children of a node, four rollouts of
    each. ``actions`` is what a task may cost; a search ends with the rollout that reaches it."""

    actions: int
    exploration: float = 0.25
    depth: int = 10
    width: int = 4
    rollouts: int = 4


@dataclass(frozen=True)
class Rollout:
    """An episode that was played to its end: its own first and last step, and its reward, None if void."""

    episode: int
    first: int
    last: int
    reward: float | None

    @property
    def actions(self) -> int:
        return self.last - self.first + 1


@dataclass
class Node:
    """The state after ``step`` of ``episode``."""

    episode: int
    step: int
    parent: Node | None = None
    is_terminal: bool = False
    value: float = 0.0
    visits: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def mean(self) -> float:
        return self.value / self.visits if self.visits else 0.0

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


# Plays an episode on from a node to its end.
Play = Callable[[Node], Awaitable[Rollout]]


@dataclass
class Search:
    """The tree of one task. ``root`` is the state before the first action of an episode that has ended."""

    root: Node
    play: Play
    settings: Settings
    spent: int = 0
    rewards: list[float] = field(default_factory=list)

    async def run(self) -> None:
        """Search until the actions are spent, or nothing is left to try."""
        while self.spent < self.settings.actions and (node := self.select()) is not None:
            await self._expand(node)

    def select(self) -> Node | None:
        """The node to expand next: down the best children by UCB1 to one that has room for another child."""
        node = self.root
        while True:
            if node.depth >= self.settings.depth or node.is_terminal:
                return None
            if len(node.children) < self.settings.width:
                return node
            open_ = [child for child in node.children if self._has_room(child)]
            if not open_:
                return None
            node = max(open_, key=self._bound)

    async def _expand(self, node: Node) -> None:
        """Add a child by one action, and roll out from it: in its own episode, then in forks of it."""
        first = await self.play(node)
        self.spent += first.actions
        child = Node(first.episode, first.first, parent=node, is_terminal=first.last == first.first)
        node.children.append(child)
        self._learn(child, first.reward)
        for _ in range(self.settings.rollouts - 1):
            if child.is_terminal or first.reward is None or self.spent >= self.settings.actions:
                return
            rollout = await self.play(child)
            self.spent += rollout.actions
            self._learn(child, rollout.reward)

    def _learn(self, node: Node, reward: float | None) -> None:
        """Void says nothing of the states that led there; and no void episode can be forked."""
        if reward is None:
            node.is_terminal = node.is_terminal or not node.visits
            return
        self.rewards.append(reward)
        at: Node | None = node
        while at is not None:
            at.value, at.visits = at.value + reward, at.visits + 1
            at = at.parent

    def _bound(self, node: Node) -> float:
        visits = node.parent.visits if node.parent else node.visits
        wide = math.sqrt(math.log(max(visits, 1)) / node.visits) if node.visits else math.inf
        return node.mean + self.settings.exploration * wide

    def _has_room(self, node: Node) -> bool:
        """Whether anything below can still be expanded."""
        if node.is_terminal or node.depth >= self.settings.depth:
            return False
        return len(node.children) < self.settings.width or any(map(self._has_room, node.children))
