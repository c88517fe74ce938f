"""API calls that read episodes: their state, their trajectories, and a run's results by task."""

from __future__ import annotations

from django.http import HttpResponse, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import page, query_read
from core.api.schema import call
from trajectories.record import hot_sql
from trajectories.record.api.auth import caller
from trajectories.rewards.api import ProfileQuery
from trajectories.rewards.selectors import get_named_profile
from trajectories.rollouts.episodes import api, services
from trajectories.rollouts.episodes.forks import api as forks
from trajectories.rollouts.episodes.retrieval import records, selectors
from trajectories.rollouts.runs import selectors as run_selectors

NDJSON = "application/x-ndjson"


class EpisodesView(forks.EpisodesView):
    """View that lists and opens episodes. Opening is inherited, because both methods share one path."""

    scopes = {"GET": "read", "POST": "trainer"}

    @call(
        "episode_list",
        "List episodes in the order in which they were opened",
        parameters=[records.EpisodesQuery],
        answers={200: (records.EpisodePage, "A page of episodes.")},
        errors=(400,),
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

    @call(
        "episode_get",
        "Read the state of an episode",
        answers={200: (api.EpisodeRecord, "The state of the episode.")},
        errors=(404,),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        services.episode_get(episode_id=episode_id, principal=caller(request))
        return Response(hot_sql.episode_states([episode_id])[episode_id])


class TrajectoryView(APIView):
    scopes = {"GET": "read"}

    @call(
        "trajectory_get",
        "Read an episode and everything that happened in it",
        parameters=[ProfileQuery],
        answers={200: (records.Trajectory, "The trajectory.")},
        errors=(400, 404, 422),
    )
    def get(self, request: Request, episode_id: int) -> HttpResponse:
        query, principal = query_read(ProfileQuery, request), caller(request)
        run = services.episode_get(episode_id=episode_id, principal=principal).run
        named = get_named_profile(run, query["profile"], viewer=principal)
        text = selectors.trajectory_text(episode_id=episode_id, principal=principal, named=named)
        return HttpResponse(text, content_type="application/json")


class EpisodeMessagesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "episode_messages",
        "Read the messages that opened an episode",
        description="The messages as they were sent when the episode was opened. With the results and "
        "observations in the trajectory they give the whole conversation (`palaestra.conversation`). A fork "
        "also has the messages up to where it begins, marked `copied`, and may end with the beginning of a "
        "message to continue (`prefill`). Solutions of few-shot examples are left out for keys without the "
        "scope `trainer` or `golds`, and guidance for keys without `guidance` or `golds`. There are no "
        "messages if the template is unknown.",
        answers={200: (records.EpisodeMessages, "The messages, in order.")},
        errors=(404,),
    )
    def get(self, request: Request, episode_id: int) -> Response:
        principal = caller(request)
        services.episode_get(episode_id=episode_id, principal=principal)
        with_solutions = principal.may("trainer") or principal.may("golds")
        messages = selectors.episode_messages(
            episode_id,
            with_solutions=with_solutions,
            with_guidance=principal.may("guidance") or principal.may("golds"),
        )
        return Response({"messages": messages})


class RunTrajectoriesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "trajectory_stream",
        "Stream all trajectories of a run",
        description="One JSON object per line, by episode id, for episodes that exist when the call begins.",
        parameters=[ProfileQuery],
        answers={(200, NDJSON): (records.Trajectory, "One trajectory per line.")},
        errors=(400, 404, 422),
    )
    def get(self, request: Request, run_id: int) -> StreamingHttpResponse:
        query, principal = query_read(ProfileQuery, request), caller(request)
        run = run_selectors.run_get(run_id, principal=principal)
        named = get_named_profile(run, query["profile"], viewer=principal)
        lines = selectors.trajectory_lines(run=run, principal=principal, named=named)
        return StreamingHttpResponse(lines, content_type=NDJSON)


class TaskStatsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "task_stats",
        "Read a run's results by task",
        parameters=[records.StatsQuery],
        answers={200: (records.TaskStatsPage, "A page of tasks, by task id.")},
        errors=(400, 404),
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.StatsQuery, request)
        rows = run_selectors.task_stats(
            run=run_selectors.run_get(query["run"], principal=caller(request)),
            after=query.get("cursor", 0),
            limit=query["limit"],
            recent=query["recent"],
            principal=caller(request),
        )
        shown, following = page(rows, limit=query["limit"], place=lambda row: int(row["task"]))
        return Response({"results": shown, "next": following})
