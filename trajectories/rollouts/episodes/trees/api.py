"""The calls of tree search: the tree of an episode, and values of its steps."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, convert, to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.bodies import struct_read
from core.integers import INT_MAX
from core.paging import Query, cursor_make, query_read
from core.schema import call
from trajectories.record.api.auth import caller
from trajectories.rollouts.episodes import services as episodes
from trajectories.rollouts.episodes.trees import selectors, services

NODES_MAX = 5_000
VALUES_MAX = 1_000
VALUE_MAX = 1e300


class TreeQuery(Query, kw_only=True):
    limit: Annotated[
        int,
        Meta(
            ge=1,
            le=NODES_MAX,
            description=f"Episodes per page, at most {NODES_MAX:,}; fewer where they have more than "
            f"{selectors.PAGE_VALUES:,} values.",
        ),
    ] = NODES_MAX


class Tree(Struct):
    """Episodes by id, parents first."""

    results: list[selectors.Node]
    next: str | None


class TreeView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_tree",
        "Read the tree that an episode is in",
        description="The first episode of its line and all forks of forks of it, of whichever runs.",
        parameters=[TreeQuery],
        answers={200: (Tree, "A page of the tree.")},
        errors=(400, 404),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        query, viewer = query_read(TreeQuery, request), caller(request)
        episodes.episode_get(episode_id=episode_id, principal=viewer)
        nodes, has_more = selectors.tree_nodes(
            episode_id=episode_id, viewer=viewer, after=query.get("cursor", 0), limit=query["limit"]
        )
        following = cursor_make(nodes[-1].id) if has_more else None
        return Response({"results": to_builtins(nodes), "next": following})


class StepValueIn(Struct, forbid_unknown_fields=True):
    step: Annotated[int, Meta(ge=0, le=INT_MAX)]
    value: Annotated[float, Meta(ge=-VALUE_MAX, le=VALUE_MAX)]
    visits: Annotated[int, Meta(ge=0, le=INT_MAX)]


class StepValuesIn(Struct, forbid_unknown_fields=True):
    """Values of the states after steps; a fork's first is that after the step where it begins."""

    values: Annotated[list[StepValueIn], Meta(min_length=1, max_length=VALUES_MAX)]


class StoredValues(Struct):
    stored: int


class ValuesView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "step_values_store",
        "Store values of an episode's steps",
        description="They are shown with the tree, and count nowhere. Sent again for a step, a value "
        "replaces the one before.",
        body=StepValuesIn,
        answers={200: (StoredValues, "Of how many steps.")},
        errors=(400, 404, 422),
    )
    def post(self, request: Request, episode_id: int) -> Response:
        body = struct_read(request.data, StepValuesIn)
        stored = services.step_values_store(
            episode_id=episode_id,
            values=convert(to_builtins(body.values), list[selectors.NodeValue]),
            principal=caller(request),
        )
        return Response({"stored": stored})
