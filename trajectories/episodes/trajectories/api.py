"""The calls that read episodes: their state, their trajectories, and a run's results by task."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.paging import page, query_read
from core.schema import errors
from core.struct_schema import struct_body
from trajectories import hot_sql
from trajectories.api.auth import caller
from trajectories.episodes import api, services
from trajectories.episodes.trajectories import records, selectors
from trajectories.runs import selectors as run_selectors

NDJSON = "application/x-ndjson"


class EpisodesView(api.EpisodesView):
    """Lists episodes; opening is inherited, because both methods share one path."""

    scopes = {"GET": "read", "POST": "trainer"}

    @extend_schema(
        operation_id="episode_list",
        summary="List episodes in the order of their opening",
        parameters=[records.EpisodesQuery],
        responses={
            200: OpenApiResponse(struct_body(records.EpisodePage), "A page of episodes."),
            **errors(400),
        },
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.EpisodesQuery, request)
        limit, after = query["limit"], query.pop("cursor", 0)
        ids = selectors.episode_ids(principal=caller(request), after=after, **query)
        shown, following = page(ids, limit=limit, place=lambda pk: pk)
        states = hot_sql.episode_states(shown)
        return Response({"results": [states[pk] for pk in shown if pk in states], "next": following})


class EpisodeView(APIView):
    scopes = {"GET": "read"}

    @extend_schema(
        operation_id="episode_get",
        summary="Read the state of an episode",
        responses={
            200: OpenApiResponse(struct_body(api.EpisodeRecord), "The state of the episode."),
            **errors(404),
        },
    )
    def get(self, request: Request, episode_id: int) -> Response:
        services.episode_get(episode_id=episode_id, principal=caller(request))
        return Response(hot_sql.episode_states([episode_id])[episode_id])


class TrajectoryView(APIView):
    scopes = {"GET": "read"}

    @extend_schema(
        operation_id="trajectory_get",
        summary="Read an episode and everything that happened in it",
        responses={200: OpenApiResponse(struct_body(records.Trajectory), "The trajectory."), **errors(404)},
    )
    def get(self, request: Request, episode_id: int) -> HttpResponse:
        text = selectors.trajectory_text(episode_id=episode_id, principal=caller(request))
        return HttpResponse(text, content_type="application/json")


class RunTrajectoriesView(APIView):
    scopes = {"GET": "read"}

    @extend_schema(
        operation_id="trajectory_stream",
        summary="Stream all trajectories of a run",
        description="One JSON object per line, by episode id, as of the start of the call.",
        responses={
            (200, NDJSON): OpenApiResponse(struct_body(records.Trajectory), "One trajectory per line."),
            **errors(404),
        },
    )
    def get(self, request: Request, run_id: int) -> StreamingHttpResponse:
        run = run_selectors.run_get(run_id)
        lines = selectors.trajectory_lines(run=run, principal=caller(request))
        return StreamingHttpResponse(lines, content_type=NDJSON)


class TaskStatsView(APIView):
    scopes = {"GET": "read"}

    @extend_schema(
        operation_id="task_stats",
        summary="Read a run's results by task",
        parameters=[records.StatsQuery],
        responses={
            200: OpenApiResponse(struct_body(records.TaskStatsPage), "A page of tasks, by task id."),
            **errors(400, 404),
        },
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.StatsQuery, request)
        rows = run_selectors.task_stats(
            run=run_selectors.run_get(query["run"]),
            after=query.get("cursor", 0),
            limit=query["limit"],
            principal=caller(request),
        )
        shown, following = page(rows, limit=query["limit"], place=lambda row: int(row["task"]))
        return Response({"results": shown, "next": following})
