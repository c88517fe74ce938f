"""API calls about samplers, which choose a training run's next tasks."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import Query, page, query_read
from core.api.schema import call
from core.database.integers import BIGINT_MAX, INT_MAX
from core.structs.bodies import struct_read
from core.structs.fields import Id
from trajectories.models import Sampler, SamplerDraw
from trajectories.record.api.auth import caller
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.samplers import selectors, services
from trajectories.rollouts.samplers.plans import DrawnTask, SamplerPlan, SamplerTasks
from trajectories.rollouts.samplers.services import DrawSummary


class SamplerIn(SamplerPlan, forbid_unknown_fields=True, kw_only=True):
    """A new sampler. If ``seed`` is null, one is drawn.

    Its tasks are those that match now; tasks that are added later do not join.
    """

    run: Id
    tasks: SamplerTasks = SamplerTasks()
    seed: Annotated[int, Meta(ge=0, le=BIGINT_MAX)] | None = None


class SamplerRecord(Struct, kw_only=True):
    """A sampler.

    ``position`` is the position in the run's verdict stream up to which the last draw counted results.
    ``splits`` are those of its ``size`` tasks."""

    id: int
    run: int
    seed: int
    plan: SamplerPlan
    tasks: SamplerTasks
    splits: list[str]
    size: int
    draws: int
    position: int
    created_at: str


class SamplerPage(Struct):
    results: list[SamplerRecord]
    next: str | None


class DrawIn(Struct, forbid_unknown_fields=True):
    """A request for a draw.

    ``number`` counts from 1. If a draw with this number was made before, it is returned again, whatever has
    happened since. Without a number, the next draw is made."""

    count: Annotated[int, Meta(ge=1, le=10_000)]
    number: Annotated[int, Meta(ge=1, le=INT_MAX)] | None = None


class DrawRecord(Struct, kw_only=True):
    """A draw.

    ``policy_version`` is the run's newest when the draw was made, and ``position`` the position in its
    verdict stream up to which results were counted."""

    sampler: int
    number: int
    position: int
    policy_version: int | None
    items: list[DrawnTask]
    summary: DrawSummary
    created_at: str


class DrawPage(Struct):
    results: list[DrawRecord]
    next: str | None


class SamplersQuery(Query, kw_only=True):
    run: Id | UnsetType = UNSET


class SamplersView(APIView):
    scopes = {"GET": "read", "POST": "trainer"}

    @call(
        "sampler_create",
        "Create a sampler for a run",
        description=(
            "The sampler draws the next tasks from those that match the filters, by the run's own results. "
            "Strategies and schedules are described in `docs/curation.md`. `shortest_prefix` and `paired` "
            "give guidance, so creating such a sampler and drawing from it also needs the scope `guidance`."
        ),
        body=SamplerIn,
        answers={201: (SamplerRecord, "The sampler.")},
        errors=(400, 403, 404, 409, 413, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = struct_read(request.data, SamplerIn)
        fields = msgspec.structs.asdict(body)
        sampler = services.sampler_create(
            run_id=body.run,
            plan=SamplerPlan(**{name: fields[name] for name in SamplerPlan.__struct_fields__}),
            filters=body.tasks,
            seed=body.seed,
            principal=caller(request),
        )
        return Response(_sampler_record(sampler), status=201)

    @call(
        "sampler_list",
        "List samplers, newest first",
        parameters=[SamplersQuery],
        answers={200: (SamplerPage, "A page of samplers.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(SamplersQuery, request)
        samplers = selectors.sampler_list(
            run=query.get("run"), before=query.get("cursor"), limit=query["limit"], principal=caller(request)
        )
        shown, following = page(samplers, limit=query["limit"], place=lambda sampler: sampler.pk)
        return Response({"results": [_sampler_record(one) for one in shown], "next": following})


class SamplerView(APIView):
    scopes = {"GET": "read"}

    @call("sampler_get", "Read a sampler", answers={200: (SamplerRecord, "The sampler.")}, errors=(404,))
    def get(self, request: Request, sampler_id: int) -> Response:
        sampler = selectors.sampler_get(sampler_id=sampler_id, principal=caller(request))
        return Response(_sampler_record(sampler))


class DrawView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "sampler_draw",
        "Draw the next tasks, or return an earlier draw",
        description=(
            "A draw is made once and stored. A trainer that crashed sends the same `number` (or the same "
            "`Idempotency-Key`) and gets the same tasks."
        ),
        body=DrawIn,
        answers={200: (DrawRecord, "The draw.")},
        errors=(400, 403, 404, 409, 413, 422),
    )
    @idempotent
    def post(self, request: Request, sampler_id: int) -> Response:
        body = struct_read(request.data, DrawIn)
        draw = services.sampler_draw(
            sampler_id=sampler_id, count=body.count, number=body.number, principal=caller(request)
        )
        return Response(_draw_record(draw))


class DrawsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "sampler_draws",
        "List a sampler's draws by number",
        parameters=[Query],
        answers={200: (DrawPage, "A page of draws.")},
        errors=(400, 404),
    )
    def get(self, request: Request, sampler_id: int) -> Response:
        query = query_read(Query, request)
        sampler = selectors.sampler_get(sampler_id=sampler_id, principal=caller(request))
        draws = selectors.draw_list(sampler=sampler, after=query.get("cursor", 0), limit=query["limit"])
        shown, following = page(draws, limit=query["limit"], place=lambda draw: draw.number)
        return Response({"results": [_draw_record(draw) for draw in shown], "next": following})


def _sampler_record(sampler: Sampler) -> dict[str, Any]:
    record = SamplerRecord(
        id=sampler.pk,
        run=sampler.run_id,
        seed=sampler.seed,
        plan=selectors.plan_of(sampler),
        tasks=msgspec.convert(sampler.filters, SamplerTasks),
        splits=sampler.splits,
        size=sampler.size,
        draws=sampler.draws,
        position=sampler.position,
        created_at=sampler.created_at.isoformat(),
    )
    shown: dict[str, Any] = msgspec.to_builtins(record)
    return shown


def _draw_record(draw: SamplerDraw) -> dict[str, Any]:
    names = ("number", "position", "policy_version", "items", "summary")
    fields = {name: getattr(draw, name) for name in names}
    return {"sampler": draw.sampler_id, **fields, "created_at": draw.created_at.isoformat()}
