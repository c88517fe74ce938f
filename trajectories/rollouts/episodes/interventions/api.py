"""The calls that insert text into a policy's thought, and report the results."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.bodies import struct_read
from core.paging import page, query_read
from core.schema import call
from trajectories.record.api.auth import caller
from trajectories.record.api.idempotency import idempotent
from trajectories.rollouts.episodes.interventions import creation, selectors


class EpisodeInterventionsView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "intervention_open",
        "Put words into a thought, and open continuations",
        description="Opens forks of an ended episode that go on within one of its messages: what its policy "
        "wrote before a substep, then `text`. Both or neither. A model is sent the message as the last "
        "one, to be continued; the step that is recorded holds all of it. A text that holds the answer is "
        "refused, which tells the answer: the key needs the scope `guidance` or `golds` as well.",
        body=creation.InterventionIn,
        answers={201: (creation.OpenedIntervention, "The intervention, and its continuations.")},
        errors=(400, 404, 409, 413, 422, 429),
    )
    @idempotent
    def post(self, request: Request, episode_id: int) -> Response:
        given = struct_read(request.data, creation.InterventionIn)
        opened = creation.intervention_open(episode_id=episode_id, body=given, principal=caller(request))
        return Response(opened, status=201)


class SubstepsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "substep_list",
        "Read the numbered substeps of an episode",
        description="What its policy wrote in each step, cut at blank lines. The numbers stay.",
        answers={
            200: (creation.EpisodeSubsteps, "The substeps by step, those that a fork has inherited included.")
        },
        errors=(404, 413),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        return Response({"steps": selectors.substep_list(episode_id, principal=caller(request))})


class InterventionsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "intervention_list",
        "List interventions, the newest first",
        parameters=[creation.InterventionsQuery],
        answers={200: (creation.InterventionPage, "A page of interventions.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(creation.InterventionsQuery, request)
        limit, before = query["limit"], query.pop("cursor", None)
        records = selectors.intervention_list(principal=caller(request), before=before, **query)
        shown, following = page(records, limit=limit, place=lambda record: int(record["id"]))
        return Response({"results": shown, "next": following})


class InterventionView(APIView):
    scopes = {"GET": "read"}

    @call(
        "intervention_get",
        "Read an intervention and what came of it",
        answers={200: (creation.InterventionRecord, "The intervention.")},
        errors=(404,),
    )
    def get(self, request: Request, intervention_id: int) -> Response:
        return Response(selectors.intervention_get(intervention_id, principal=caller(request)))
