"""Episodes of a tree that have steps in common, and how many."""

from __future__ import annotations

from collections.abc import Sequence

from trajectories.models import Episode

ENDLESS = 2**31  # of its own steps an episode holds all


class Lines:
    """The ancestor lines of all episodes of a task."""

    def __init__(self, task_id: int) -> None:
        forks = Episode.objects.filter(task=task_id, parent__isnull=False)
        rows = forks.values_list("pk", "parent_id", "begins_after")
        self._parents = {fork: (parent, after) for fork, parent, after in rows}
        self._known: dict[int, dict[int, int]] = {}

    def of(self, episode_id: int) -> dict[int, int]:
        """The episodes that hold the steps of an episode, itself first, with the last step of each that it
        has inherited. A deleted parent ends the line."""
        if (known := self._known.get(episode_id)) is not None:
            return known
        line = self._known[episode_id] = {episode_id: ENDLESS}
        last = ENDLESS
        while episode_id in self._parents:
            episode_id, after = self._parents[episode_id]
            last = min(last, after)
            line[episode_id] = last
        return line

    def root(self, episode_id: int) -> int:
        """The first episode of the line."""
        return next(reversed(self.of(episode_id)))

    def common(self, one: int, other: int) -> int | None:
        """The number of the last step that both have; None if they are of different trees."""
        line, others = self.of(one), self.of(other)
        for episode_id, last in line.items():
            if episode_id in others:
                return min(last, others[episode_id])
        return None


def by_root(episodes: Sequence[Episode], lines: Lines) -> dict[int, list[Episode]]:
    """The episodes of each tree, in their order."""
    trees: dict[int, list[Episode]] = {}
    for episode in episodes:
        trees.setdefault(lines.root(episode.pk), []).append(episode)
    return trees
