"""Data of the list of tasks and of a task's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Avg, Case, Count, Max, When
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render

from palaestra.protocol.arms import ARMS
from trajectories.models import Episode, PromptSize, Run, Submission
from trajectories.shell import access, slow_queries
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.forms import TaskFilter
from trajectories.shell.grid.columns import Column, load_list
from trajectories.shell.grid.episodes import EPISODES
from trajectories.shell.grid.view import Grid, GridView, build_grid, grid_short
from trajectories.shell.queries import episodes, runs, tasks
from trajectories.shell.queries.previews import rows_of
from trajectories.shell.text.formulas import question_line
from trajectories.shell.text.questions import problem_shape, question_text
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

ARMS_FIRST = ("text_zero_shot", "text_agent", "gym")
ARM_COLUMNS = tuple(
    Column(
        id=f"arm_{arm.id}",
        title=arm.label,
        cell=f'{{% include "lab/grid/_share.html" with share=row.arms.{arm.id} %}}',
        rate=f"c_{arm.id}.correct::float / nullif(c_{arm.id}.judged, 0)",
        is_number=True,
        is_default=arm.id in ARMS_FIRST,
        description=f"Accuracy of judged episodes, {arm.label}: {arm.description}",
    )
    for arm in ARMS.values()
)

TASKS = load_list(Path(__file__).with_name("tasks.toml"), *ARM_COLUMNS)
ATTEMPTS_SHOWN = 500
TITLE_CHARS = 120
EPISODES_SHOWN = ("episode", "arm", "outcome", "answer", "thought", "steps", "run", "opened")


@dataclass(frozen=True, kw_only=True)
class PromptSizes:
    """Prompt lengths over a task's episodes with the same arm, observation and history.

    The lengths are the mean total of an episode's prompts and the maximum of a single prompt. Tokens are None
    unless they are known for all of these episodes.
    """

    arm: str
    observation: str
    history: str
    episodes: int
    characters: float
    longest_characters: int
    tokens: float | None
    longest_tokens: int | None

    @property
    def shown(self) -> str:
        """The observation; empty in arms without a page to observe."""
        return self.observation if ARMS[self.arm].has_page else ""


def prompt_sizes_of_task(*, task_id: int) -> Sequence[PromptSizes]:
    """Return a task's prompt sizes for each arm, observation and history that was played."""
    rows = (
        PromptSize.objects.filter(episode__task=task_id)
        .values_list("episode__arm", "episode__run__observation", "history")
        .annotate(
            Count("episode_id"),
            Avg("characters"),
            Max("longest_characters"),
            mean_tokens=Case(When(episode_id__count=Count("tokens"), then=Avg("tokens"))),
            most_tokens=Case(When(episode_id__count=Count("tokens"), then=Max("longest_tokens"))),
        )
        .order_by("episode__arm", "episode__run__observation", "history")
    )
    names = [field.name for field in fields(PromptSizes)]
    return [PromptSizes(**dict(zip(names, row, strict=True))) for row in rows]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One episode with its outcome (or status) and its answer."""

    episode: Episode
    answer: str

    @property
    def state(self) -> str:
        return self.episode.verdict.outcome if self.episode.verdict else self.episode.status


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """A task's attempts in one run and arm, newest first."""

    arm: str
    run: Run
    attempts: Sequence[Attempt]

    @property
    def correct(self) -> int:
        return sum(attempt.state == "correct" for attempt in self.attempts)

    @property
    def judged(self) -> int:
        return sum(attempt.state in ("correct", "incorrect") for attempt in self.attempts)


def group_attempts(*, task_id: int) -> list[Attempts]:
    """Group a task's newest attempts by arm, then by run; the newest run comes first."""
    episodes = list(
        Episode.objects.filter(task_id=task_id)
        .select_related("run", "verdict")
        .only("arm", "status", "run__name", "run__model", "run__simulated", "verdict__outcome")
        .order_by("-id")[:ATTEMPTS_SHOWN]
    )
    answers = {
        one.pk: " ".join(one.answers)
        for one in Submission.objects.filter(episode_id__in=[episode.pk for episode in episodes]).only(
            "answer"
        )
    }
    groups: dict[tuple[str, int], list[Episode]] = {}
    for episode in episodes:
        groups.setdefault((episode.arm, -episode.run_id), []).append(episode)
    return [
        Attempts(
            arm=arm,
            run=of[0].run,
            attempts=[Attempt(episode=one, answer=answers.get(one.pk, "")) for one in of],
        )
        for (arm, _), of in sorted(groups.items())
    ]


class TasksPage:
    """The page of the list of tasks. ``rows`` is None if the query was stopped because it took too long."""

    def __init__(self, parameters: QueryDict) -> None:
        self.form = TaskFilter(parameters, benchmarks=tasks.list_benchmarks(), splits=tasks.list_splits())
        self.view = GridView(TASKS, parameters)
        self.errors = [*self.form.error_messages(), *self.view.errors]
        filters = self.form.filters()
        after = filters.pop("cursor", None)
        self.is_first = after is None
        self.rows = slow_queries.result_in_time(
            lambda: tasks.task_page(filters=filters, sort=self.view.sort, after=after)
        )

    @property
    def next_address(self) -> str:
        after = self.rows.after if self.rows else None
        return self.view.address(cursor=str(after)) if after else ""

    @property
    def grid(self) -> Grid:
        return build_grid(self.view, self.rows.rows if self.rows else [])


class TaskPage:
    """A task's page: its outcomes by arm, prompt lengths, newest episodes and, for users who may see it, its
    gold.
    """

    def __init__(self, task_id: int, *, user: User | AnonymousUser) -> None:
        self.task = tasks.task_get(task_id)
        self.shape = problem_shape(self.task)
        self.arms = runs.task_tallies_by_arm(task_id=task_id)
        self.prompts = prompt_sizes_of_task(task_id=task_id)
        self.sees_golds = access.sees_golds(user)
        self.gold = episodes.gold_current(task_id=task_id) if self.sees_golds else None
        self.sources: dict[str, str] = {}  # the choices are in their original order
        self.attempts = group_attempts(task_id=task_id)
        newest = episodes.episodes_newest(task_id=task_id)
        self.has_more = newest.has_more
        self.grid = grid_short(
            EPISODES,
            rows_of({one.pk: one for one in newest.episodes}, [(one.pk, None) for one in newest.episodes]),
            columns=EPISODES_SHOWN,
        )

    @property
    def title(self) -> str:
        """The beginning of the question, since a task's key means nothing to a reader."""
        return question_line(question_text(self.task)[:BEGINNING_FETCHED], TITLE_CHARS)


@lab_page
def task_list(request: LabRequest) -> HttpResponse:
    """List the tasks that match the filters; answer 503 if the search took too long."""
    page = TasksPage(request.GET)
    if page.view.is_scattered and not request.htmx:
        return redirect(page.view.address())
    context = {"here": "tasks", "page": page}
    return slow_queries.page_render(request, "tasks/tasks", context, is_too_slow=page.rows is None)


@lab_page
def task_detail(request: LabRequest, task_id: int) -> HttpResponse:
    page = TaskPage(task_id, user=request.user)
    return render(request, "lab/tasks/task.html", {"here": "tasks", "page": page, "task": page.task})
