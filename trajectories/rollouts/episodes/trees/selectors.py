"""The tree of an episode: the first of its line, and everything forked from it."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from core.sql import Statement
from trajectories.models import Episode, Verdict
from trajectories.record.projects import Viewer

TREE = Statement(__file__, "tree")
PAGE_VALUES = 20_000
"""A page ends with the node whose values reach this number."""


class NodeValue(Struct, frozen=True):
    """Value posted for the state after a step."""

    step: int
    value: float
    visits: int


class Node(Struct, frozen=True):
    """An episode of a tree. It begins after the step ``begins_after`` of its ``parent``, which may have been
    deleted; ``steps`` is the number of its last step, counted from the first episode of the line. ``reason``
    is the verdict's, and says of a void one why; ``values`` are by step."""

    id: int
    run: int
    group: int
    parent: int | None
    begins_after: int
    steps: int
    policy_version: int | None
    is_guided: bool
    status: Episode.Status
    outcome: Verdict.Outcome | None
    reward: float | None
    reason: str | None
    values: list[NodeValue]


def tree_nodes(*, episode_id: int, viewer: Viewer, after: int = 0, limit: int) -> tuple[list[Node], bool]:
    """The nodes with ids above ``after``, ascending, so that parents come first, and whether more follow.

    They are at most ``limit``, and fewer where a page would have far more than ``PAGE_VALUES`` values. That
    the viewer may see the episode is for the caller to check: all of a tree is of its task.
    """
    rows = TREE.rows(
        episode=episode_id, project=viewer.project, after=after, limit=limit + 1, values=PAGE_VALUES
    )
    shown = [row for row in rows[:limit] if row[-1] is not None]
    nodes = [Node(*[*row[:-1], msgspec.json.decode(row[-1], type=list[NodeValue])]) for row in shown]
    return nodes, len(rows) > len(shown)
