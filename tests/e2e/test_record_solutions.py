"""Solutions are recorded by their command, and start states open on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from typing import Any

import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from core.episodes.presentation import Look
from tasks_app.families.registry import FAMILIES
from tasks_app.models import Task
from tests import factories
from tests.coverage_choice import IS_WHOLE
from tests.e2e import test_every_family as families
from tests.e2e.commands import command_error
from tests.e2e.conftest import ArenaServer
from tests.e2e.fork_line import Stage
from tests.e2e.test_forks import stage as stage
from tests.e2e.test_question_looks import KINDS, episode_in
from tests.e2e.wire import Wire
from trajectories.models import ApiKey, Episode, Run, Step, Submission

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

FAMILIES_TRIED = list(FAMILIES) if IS_WHOLE else ["change_dates", "count_conditions"]
LIMIT_S = 600.0
Record = Callable[..., tuple[str, str]]


@pytest.fixture
def record(live_server: LiveServer, arena_server: ArenaServer, live: Wire, settings: LazySettings) -> Record:
    """What the command prints, and the error that it ends with; what is submitted meanwhile is judged."""
    settings.ARENA_URL = arena_server.url

    def run(run: Run, task: Task, *arguments: str) -> tuple[str, str]:
        output = StringIO()
        given = ["--run", str(run.pk), "--benchmark", task.benchmark_id, "--url", live_server.url]
        given += ["--tasks", str(task.pk), *arguments]
        with ThreadPoolExecutor(1) as thread:
            done = thread.submit(command_error, "record_solutions", *given, stdout=output)
            deadline = time.monotonic() + LIMIT_S
            while not done.done() and time.monotonic() < deadline:
                for episode in Episode.objects.filter(status=Episode.Status.SUBMITTED):
                    families.outcome(episode)
                time.sleep(0.2)
            return output.getvalue(), done.result(1)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES_TRIED)
def test_a_site_is_solved_as_the_oracle_and_start_states_stand_on_the_way(
    family: str, record: Record, stage: Stage
) -> None:
    case = families.case_of(family, 0, 0)
    run = factories.run()

    output, error = record(run, case.task)

    assert error == "", output
    assert f"1 of 1 solutions recorded in run {run.pk}." in output
    solution = Episode.objects.get()
    steps = list(Step.objects.filter(episode=solution).order_by("index"))
    assert {step.actor for step in steps} == {"oracle"}
    assert not ApiKey.objects.filter(name="record_solutions", revoked_at=None).exists()
    assert record(run, case.task)[0].startswith("0 of 0"), "it is on record"

    place = len(steps) // 2
    opening = {"run": run.pk, "tasks": [case.task.pk], "arm": "gym"}
    guidance = {"kind": "start_state", "steps": place}
    opened = stage.run(lambda client: client.episodes_open(**opening, guidance=guidance)).episodes[0]
    stage.taken(opened, [step.raw or "" for step in steps[place:]], browser="chromium")
    assert families.outcome(Episode.objects.get(pk=opened.id)) == "correct"


@pytest.mark.parametrize("kind", ["choice", "table", "free_answer"])
@pytest.mark.parametrize("grammar", ["json", "functions"])
def test_questions_are_answered_by_their_golds(kind: str, grammar: str, record: Record) -> None:
    task, run = episode_in(Look(), kind).task, factories.run(grammar=grammar)
    task.golds.update(answer=KINDS[kind].gold.answer)

    record(run, task)

    episode = Episode.objects.get(run=run)
    answer = Submission.objects.get(episode=episode).answer
    assert ("|".join(answer) if isinstance(answer, list) else answer) == KINDS[kind].gold.answer
    assert {step.actor for step in Step.objects.filter(episode=episode)} == {"oracle"}


@pytest.mark.parametrize(
    ("run", "arm", "message"),
    [
        ({"settings": {"browser": "lite"}}, "gym", "without a browser"),
        ({"observation": "screenshot-v2"}, "gym", "which screenshot-v2 does not show"),
        ({}, "probe_read", "is a probe"),
    ],
)
def test_what_cannot_be_played_is_refused(
    run: dict[str, Any], arm: str, message: str, record: Record
) -> None:
    task = episode_in(Look(), "choice").task
    output, error = record(factories.run(**run), task, "--arm", arm)
    assert message in error
    assert output == ""
