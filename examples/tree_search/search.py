"""Monte Carlo tree search over forks: selection and backup of values, independently of pages."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    """Settings of a search. The defaults are those of Agent-R (https://arxiv.org/abs/2501.11425).

    ``depth`` limits the tree, ``width`` the children of a node, and ``rollouts`` the rollouts from each new
    child. ``actions`` is a task's budget; a search ends with the rollout that reaches it.
    """

    actions: int
    exploration: float = 0.25
    depth: int = 10
    width: int = 4
    rollouts: int = 4


@dataclass(frozen=True)
class Rollout:
    """A finished episode: its own first and last step and its reward (None if the episode is void)."""

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


# Plays a fork of a node until the episode ends.
Play = Callable[[Node], Awaitable[Rollout]]


@dataclass
class Search:
    """The search tree of one task. ``root`` is the state before the first action of an ended episode."""

    root: Node
    play: Play
    settings: Settings
    spent: int = 0
    rewards: list[float] = field(default_factory=list)

    async def run(self) -> None:
        """Search until the actions are spent or nothing is left to try."""
        while self.spent < self.settings.actions and (node := self.select()) is not None:
            await self._expand(node)

    def select(self) -> Node | None:
        """Return the node to expand next: the best child by UCB1, level by level, until one has room."""
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
        """Add a child by one action and roll out from it: in its own episode, then in forks of it."""
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
        """Back up a reward to the root. A void episode carries no information and cannot be forked."""
        if reward is None:
            node.is_terminal = node.is_terminal or not node.visits
            return
        self.rewards.append(reward)
        ancestor: Node | None = node
        while ancestor is not None:
            ancestor.value, ancestor.visits = ancestor.value + reward, ancestor.visits + 1
            ancestor = ancestor.parent

    def _bound(self, node: Node) -> float:
        """Return the upper confidence bound (UCB1) of a node's mean reward (Auer et al. 2002)."""
        visits = node.parent.visits if node.parent else node.visits
        wide = math.sqrt(math.log(max(visits, 1)) / node.visits) if node.visits else math.inf
        return node.mean + self.settings.exploration * wide

    def _has_room(self, node: Node) -> bool:
        """Return whether a node or one of its descendants can still be expanded."""
        if node.is_terminal or node.depth >= self.settings.depth:
            return False
        return len(node.children) < self.settings.width or any(map(self._has_room, node.children))
