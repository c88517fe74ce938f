"""The tree of forks around an episode, as the lab's pages show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.urls import reverse

from core.database.sql import Statement
from trajectories.models import Episode, StepValue
from trajectories.shell.forms import DIVERGENCE_ANCHOR

NODES_SHOWN, NEAR_SHOWN = 60, 20
COUNTED_MAX = 5_000
# Deeper nodes are not indented any further.
DEPTH_MAX = 8
COLUMNS = ("parent_id", "begins_after", "guidance", "status", "verdict__outcome", "verdict__reason")
_RELATIVES = Statement(__file__, "relatives")


@dataclass(frozen=True, kw_only=True)
class Node:
    """An episode in the tree. ``value`` is the last step value; ``compare`` is a comparison's address."""

    episode: Episode
    depth: int
    is_current: bool
    value: StepValue | None
    compare: str


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """The nodes of the tree, each fork after its parent. ``total`` counts them, but only up to one more than
    ``COUNTED_MAX``.
    """

    nodes: list[Node]
    total: int
    forks: int

    @property
    def is_counted(self) -> bool:
        return self.total <= COUNTED_MAX

    @property
    def is_cut(self) -> bool:
        return len(self.nodes) < self.total


def read_lineage(episode: Episode) -> Lineage | None:
    """Return an episode's lineage, or None if it is not a fork and has no forks."""
    forks = Episode.objects.filter(parent=episode.pk).count()
    if episode.parent_id is None and not forks:
        return None
    limits = {"near": NEAR_SHOWN, "shown": NODES_SHOWN, "counted": COUNTED_MAX + 1}
    ids, total = _RELATIVES.row(episode=episode.pk, **limits) or ([], 0)
    rows = Episode.objects.select_related("verdict").only(*COLUMNS)
    values = {value.episode_id: value for value in StepValue.objects.filter(episode__in=ids).order_by("step")}
    nodes = list(_nodes(rows.in_bulk(ids), values, current=episode.pk))
    return Lineage(nodes=nodes, total=total, forks=forks)


def _nodes(
    episodes: Mapping[int, Episode], values: Mapping[int, StepValue], *, current: int
) -> Iterator[Node]:
    children = defaultdict[int | None, list[int]](list)
    for pk in sorted(episodes, reverse=True):
        parent = episodes[pk].parent_id
        children[parent if parent in episodes else None].append(pk)
    waiting = [(pk, 0) for pk in children[None]]
    while waiting:
        pk, depth = waiting.pop()
        waiting += [(child, min(depth + 1, DEPTH_MAX)) for child in children[pk]]
        address = f"{reverse('compare')}?episodes={current},{pk}#{DIVERGENCE_ANCHOR}"
        yield Node(
            episode=episodes[pk],
            depth=depth,
            is_current=pk == current,
            value=values.get(pk),
            compare="" if pk == current else address,
        )
