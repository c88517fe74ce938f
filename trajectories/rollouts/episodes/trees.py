"""Tree search: the tree of an episode, and the values of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from django.db.models import Max
from msgspec import Meta, Struct, convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, cursor_make, query_read
from core.api.schema import call
from core.database.integers import INT_MAX
from core.database.sql import Statement
from core.errors import GymError
from core.structs.bodies import struct_read
from trajectories.models import Episode, Step, Verdict
from trajectories.record.api.auth import Principal, caller
from trajectories.record.projects import Viewer
from trajectories.rollouts.episodes import services as episodes
from trajectories.rollouts.episodes.services import episode_get

TREE = Statement(__file__, "tree")
PAGE_VALUES = 20_000
"""A page ends with the node at which its total number of values reaches this."""
NODES_MAX = 5_000
VALUES_MAX = 1_000
VALUE_MAX = 1e300


class NodeValue(Struct, frozen=True):
    """A value posted for the state after a step."""

    step: int
    value: float
    visits: int


class Node(Struct, frozen=True):
    """An episode of a tree.

    It begins after the step ``begins_after`` of its ``parent``, which may have been deleted. ``steps`` is the
    number of its last step, counted from the first episode of the line. ``reason`` is that of the verdict;
    for a void episode it names the cause. ``values`` are in the order of steps."""

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
    """Return the nodes with ids above ``after``, ascending, and whether more follow. Parents come first.

    There are at most ``limit`` nodes, and fewer if a page would have far more than ``PAGE_VALUES`` values.
    The caller checks that the viewer may see the episode; the whole tree belongs to the same task.
    """
    rows = TREE.rows(
        episode=episode_id, project=viewer.project, after=after, limit=limit + 1, values=PAGE_VALUES
    )
    shown = [row for row in rows[:limit] if row[-1] is not None]
    nodes = [Node(*[*row[:-1], msgspec.json.decode(row[-1], type=list[NodeValue])]) for row in shown]
    return nodes, len(rows) > len(shown)


STORE = Statement(__file__, "values_store")


def step_values_store(*, episode_id: int, values: Sequence[NodeValue], principal: Principal) -> int:
    """Store values of an episode's steps, replacing older ones, and return the number of steps.

    The step where a fork begins counts as the fork's own step. If a step is given twice, the last value
    counts. Raises ``GymError`` 404 ``unknown_episode``, and 422 ``no_such_step``, in which case no value is
    stored.
    """
    episode = episode_get(episode_id=episode_id, principal=principal)
    last = Step.objects.filter(episode_id=episode_id).aggregate(last=Max("index"))["last"]
    first, last = episode.begins_after, last or episode.begins_after
    by_step = {value.step: value for value in values}
    if others := [step for step in by_step if not first <= step <= last]:
        message = f"Episode {episode_id} has steps {first} to {last}, but no step {min(others)}."
        raise GymError("no_such_step", message, status=422, fields={"values": [message]})
    rows = by_step.values()
    return STORE.run(
        episode=episode_id,
        steps=[row.step for row in rows],
        values=[row.value for row in rows],
        visits=[row.visits for row in rows],
    )


class TreeQuery(Query, kw_only=True):
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=NODES_MAX,
            description=f"Episodes per page, at most {NODES_MAX:,}; fewer if together they have more than "
            f"{PAGE_VALUES:,} values.",
        ),
    ] = NODES_MAX


class Tree(Struct):
    """A page of the tree's episodes by id, parents first. ``next`` is null on the last page."""

    results: list[Node]
    next: str | None


class TreeView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_tree",
        "Read the tree that an episode belongs to",
        description="The first episode of its line and all forks descending from it, in any run.",
        parameters=[TreeQuery],
        answers={200: (Tree, "A page of the tree.")},
        errors=(400, 404),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        query, viewer = query_read(TreeQuery, request), caller(request)
        episodes.episode_get(episode_id=episode_id, principal=viewer)
        nodes, has_more = tree_nodes(
            episode_id=episode_id, viewer=viewer, after=query.get("cursor", 0), limit=query["limit"]
        )
        following = cursor_make(nodes[-1].id) if has_more else None
        return Response({"results": to_builtins(nodes), "next": following})


class StepValueIn(Struct, forbid_unknown_fields=True):
    step: Annotated[int, Meta(ge=0, le=INT_MAX)]
    value: Annotated[float, Meta(ge=-VALUE_MAX, le=VALUE_MAX)]
    visits: Annotated[int, Meta(ge=0, le=INT_MAX)]


class StepValuesIn(Struct, forbid_unknown_fields=True):
    """Values of the states after steps. A fork's first value is that of the state in which it begins."""

    values: Annotated[list[StepValueIn], Meta(min_length=1, max_length=VALUES_MAX)]


class StoredValues(Struct):
    stored: int


class ValuesView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "step_values_store",
        "Store values of an episode's steps",
        description="Values are shown with the tree and affect no results. A value that is sent for the same "
        "step again replaces the earlier one.",
        body=StepValuesIn,
        answers={200: (StoredValues, "The number of steps whose values were stored.")},
        errors=(400, 404, 422),
    )
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, StepValuesIn)
        stored = step_values_store(
            episode_id=episode_id,
            values=convert(to_builtins(body.values), list[NodeValue]),
            principal=caller(request),
        )
        return Response({"stored": stored})
