"""The calls that read labels."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.paging import page, query_read
from core.schema import call
from trajectories.annotation.api import records, selectors
from trajectories.record.api.auth import caller


class LabelsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "label_list",
        "List labels of annotation projects, oldest first",
        description="Of each annotator the newest label of a unit: corrected ones, skipped units and hidden "
        "repeats are left out. People, rules and judge models are told apart by `annotator_kind`.",
        parameters=[records.LabelsQuery],
        answers={200: (records.LabelPage, "A page of labels.")},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.LabelsQuery, request)
        limit, after = query["limit"], query.pop("cursor", 0)
        rows = selectors.label_list(principal=caller(request), after=after, **query)
        shown, following = page(rows, limit=limit, place=lambda row: int(row["id"]))
        return Response({"results": shown, "next": following})


class EpisodeLabelsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_labels",
        "Read the labels of an episode by unit",
        description="With what counts as the label of a unit: the adjudicated one, or what most people say.",
        answers={200: (records.EpisodeLabels, "The labelled units, in the order of the steps.")},
        errors=(404,),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        return Response({"results": selectors.episode_labels(episode_id, principal=caller(request))})
