"""API calls about runs."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api.paging import cursor_make, page, query_read
from core.api.schema import call
from core.structs.bodies import body_read
from trajectories.models import Run
from trajectories.record.api.auth import caller
from trajectories.record.api.idempotency import idempotent
from trajectories.reports import behaviour, run_tallies
from trajectories.rewards import selectors as rewards
from trajectories.rewards.api import RewardsPage, RewardsQuery
from trajectories.rollouts.runs import records, selectors, services
from trajectories.rollouts.runs import replays as replay_records


class RunsView(APIView):
    scopes = {"GET": "read", "POST": "trainer"}

    @call(
        "run_create",
        "Create a run",
        description="A run is one job (training, evaluation or collection), not one checkpoint.",
        body=records.RunIn,
        answers={201: records.RunRecord},
        errors=(400, 409, 413, 422),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        principal = caller(request)
        run = services.run_create(fields=body_read(records.RunIn, request.data), principal=principal)
        return Response(_run_record(selectors.run_get(run.pk, principal=principal)), status=201)

    @call(
        "run_list",
        "List runs, newest first",
        parameters=[records.RunsQuery],
        answers={200: records.RunPage},
        errors=(400,),
    )
    def get(self, request: Request) -> Response:
        query = query_read(records.RunsQuery, request)
        runs = selectors.run_list(
            kind=query.get("kind"),
            tag=query.get("tag"),
            name=query.get("name"),
            before=query.get("cursor"),
            limit=query["limit"],
            principal=caller(request),
        )
        shown, following = page(runs, limit=query["limit"], place=lambda run: run.pk)
        return Response({"results": [_run_record(run) for run in shown], "next": following})


class RunView(APIView):
    scopes = {"GET": "read"}

    @call("run_get", "Read a run and its progress", answers={200: records.RunDetail}, errors=(404,))
    def get(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        return Response({**_run_record(run), **selectors.run_counts(run)})


class PolicyView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "policy_register",
        "Register a policy version",
        description="Versions are increasing integers. Registering the same one again changes nothing.",
        body=records.PolicyIn,
        answers={201: records.PolicyRecord, 200: (records.PolicyRecord, "Already registered.")},
        errors=(400, 404, 409, 422),
    )
    @idempotent
    def post(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        version, is_new = services.policy_register(run=run, **body_read(records.PolicyIn, request.data))
        names = ("version", "checkpoint", "trainer_step", "created_at")
        record = records.PolicyRecord(run=run.pk, **{name: getattr(version, name) for name in names})
        return Response(to_builtins(record), status=201 if is_new else 200)


class MetricsView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "metrics_record",
        "Store a trainer's own metrics",
        body=records.MetricsIn,
        answers={201: records.MetricsRecord},
        errors=(400, 404, 409, 422),
    )
    @idempotent
    def post(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        metrics = services.metrics_record(run=run, **body_read(records.MetricsIn, request.data))
        record = records.MetricsRecord(
            id=metrics.pk, run=run.pk, policy_version=metrics.policy_version, created_at=metrics.created_at
        )
        return Response(to_builtins(record), status=201)


class PromptSizesView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "prompt_sizes_store",
        "Store the lengths of prompts under a history",
        description=(
            "Lengths as `palaestra prompts` measures them by replaying episodes of the run. Lengths sent "
            "again replace earlier ones. The statistics by task add them up."
        ),
        body=records.PromptSizesIn,
        answers={200: records.PromptSizesRecord},
        errors=(400, 404, 422),
    )
    def post(self, request: Request, run_id: int) -> Response:
        run, fields = _run(request, run_id), body_read(records.PromptSizesIn, request.data)
        stored = selectors.prompt_sizes_store(run=run, principal=caller(request), **fields)
        return Response({"stored": stored})


class CancelView(APIView):
    scopes = {"POST": "trainer"}

    @call(
        "episodes_cancel",
        "Cancel open and submitted episodes of a run",
        description="They end `void` with the reason `cancelled`, which does not count towards alarms.",
        body=records.CancelIn,
        answers={200: records.CancelRecord},
        errors=(400, 404, 409, 422),
    )
    @idempotent
    def post(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        ended = services.episodes_cancel(
            run=run, principal=caller(request), **body_read(records.CancelIn, request.data)
        )
        return Response({"cancelled": len(ended), "episodes": ended})


class GroupsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "group_list",
        "List groups as they complete",
        description=(
            "Groups are in the order of their last verdicts. None is skipped; a refilled group is listed "
            "again. Send `next` as `after` to continue."
        ),
        parameters=[records.GroupsQuery],
        answers={200: (records.GroupPage, "A page of groups.")},
        errors=(400, 404, 422),
    )
    def get(self, request: Request, run_id: int) -> Response:
        query = query_read(records.GroupsQuery, request)
        groups, following = selectors.groups_after(
            run=_run(request, run_id), principal=caller(request), **query
        )
        return Response(to_builtins({"results": groups, "next": following}))


class SuccessesView(APIView):
    scopes = {"GET": "read"}

    @call(
        "success_list",
        "List the successes of a run, newest first",
        description=(
            "Episodes that were played from their start, without help, and judged correct, by when they "
            "ended. A page may contain fewer results than its limit although more follow, so continue until "
            "`next` is null."
        ),
        parameters=[replay_records.SuccessesQuery],
        answers={200: (replay_records.SuccessPage, "A page of successes.")},
        errors=(400, 404),
    )
    def get(self, request: Request, run_id: int) -> Response:
        query = query_read(replay_records.SuccessesQuery, request)
        results, following = selectors.successes(
            run=_run(request, run_id), principal=caller(request), **query
        )
        cursor = None if following is None else cursor_make(following)
        return Response(to_builtins(replay_records.SuccessPage(results=results, next=cursor)))


class RunRewardsView(APIView):
    scopes = {"GET": "read"}

    @call(
        "run_rewards",
        "Read the rewards of a run's episodes and their components",
        description="Ended episodes by id. Any profile may be named: rewards are computed from stored data.",
        parameters=[RewardsQuery],
        answers={200: (RewardsPage, "A page of episodes.")},
        errors=(400, 404, 422),
    )
    def get(self, request: Request, run_id: int) -> Response:
        query, principal = query_read(RewardsQuery, request), caller(request)
        run = _run(request, run_id)
        results, following = rewards.run_rewards(
            run=run,
            after=query.get("cursor", 0),
            limit=query["limit"],
            named=rewards.profile_of_run(run, query["profile"], viewer=principal),
            viewer=principal,
        )
        cursor = None if following is None else cursor_make(following)
        return Response(to_builtins(RewardsPage(results, cursor)))


class BehaviourView(APIView):
    scopes = {"GET": "read"}

    @call(
        "behaviour_get",
        "Read the policy's behaviour by arm",
        description=(
            "Heuristic measures averaged over episodes. They are computed from texts and URLs, and nobody "
            "has checked them. Guided and void episodes are left out."
        ),
        answers={200: (behaviour.RunBehaviour, "Means by arm.")},
        errors=(404,),
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        report = behaviour.run_behaviour(run_id=run.pk, splits=caller(request).splits)
        return Response(to_builtins(report))


class TrainingView(APIView):
    scopes = {"GET": "read"}

    @call(
        "training_get",
        "Read training results by policy version, with alarms",
        description=(
            "Reward, behaviour, tasks and degenerate groups by policy version; text accuracy and gap of the "
            "evaluated checkpoints; alarms with their rules; and what changed on each benchmark (transfer)."
        ),
        parameters=[records.TrainingQuery],
        answers={200: records.TrainingRecord},
        errors=(400, 404),
    )
    def get(self, request: Request, run_id: int) -> Response:
        # The libraries take a second and 60 MB, so a server loads them only when somebody first needs them.
        from trajectories.reports.training.view import training_view

        run, query = _run(request, run_id), query_read(records.TrainingQuery, request)
        view = training_view(run, arm=query["arm"], splits=caller(request).splits)
        return Response({"run": run.pk, **view.record()})


class PairedTasksView(APIView):
    scopes = {"GET": "read"}

    @call(
        "paired_task_list",
        "List the results of paired tasks, possible and impossible",
        description=(
            "Results are by arm and family of mock-site tasks. The two tasks of a pair have the same "
            "wording, in worlds that differ in one fact. The answer that it cannot be done is right in only "
            "one world."
        ),
        answers={200: (records.PairedTallyList, "Results by arm and family.")},
        errors=(404,),
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = _run(request, run_id)
        tallies = run_tallies.paired_tallies(run_id=run.pk, splits=caller(request).splits)
        return Response({"results": to_builtins(tallies)})


def _run(request: Request, run_id: int) -> Run:
    return selectors.run_get(run_id, principal=caller(request))


def _run_record(run: Run) -> dict[str, Any]:
    names = (name for name in records.RunRecord.__struct_fields__ if name != "report")
    record: dict[str, Any] = to_builtins({name: getattr(run, name) for name in names})
    return {**record, "report": run.report_id}
