"""The data of the list of tasks and of the page of a task."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.http import QueryDict

from trajectories.shell import access, slow_queries
from trajectories.shell.forms import TaskFilter
from trajectories.shell.grid.episodes import EPISODES
from trajectories.shell.grid.tasks import TASKS
from trajectories.shell.grid.view import Grid, GridView, grid_of, grid_short
from trajectories.shell.queries import attempts, episodes, tallies, tasks
from trajectories.shell.queries.previews import rows_of
from trajectories.shell.queries.prompt_sizes import prompt_sizes_of_task
from trajectories.shell.text.formulas import question_line
from trajectories.shell.text.questions import problem_shape, question_text
from trajectories.shell.text.untrusted import BEGINNING_FETCHED

TITLE_CHARS = 120
EPISODES_SHOWN = ("episode", "arm", "outcome", "answer", "thought", "steps", "run", "opened")


class TasksPage:
    """``rows`` is None if the query was stopped because it took too long."""

    def __init__(self, parameters: QueryDict) -> None:
        self.form = TaskFilter(parameters, benchmarks=tasks.benchmarks_known(), splits=tasks.splits_known())
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
        return grid_of(self.view, self.rows.rows if self.rows else [])


class TaskPage:
    """A task with its outcomes by arm, the lengths of its prompts, its newest episodes and, for users who may
    see it, its gold."""

    def __init__(self, task_id: int, *, user: User | AnonymousUser) -> None:
        self.task = tasks.task_get(task_id)
        self.shape = problem_shape(self.task)
        self.arms = tallies.task_tallies_by_arm(task_id=task_id)
        self.prompts = prompt_sizes_of_task(task_id=task_id)
        self.sees_golds = access.sees_golds(user)
        self.gold = episodes.gold_current(task_id=task_id) if self.sees_golds else None
        self.sources: dict[str, str] = {}  # choices are in the source's order
        self.attempts = attempts.attempts_of(task_id=task_id)
        newest = episodes.episodes_newest(task_id=task_id)
        self.has_more = newest.has_more
        self.grid = grid_short(
            EPISODES,
            rows_of({one.pk: one for one in newest.episodes}, [(one.pk, None) for one in newest.episodes]),
            columns=EPISODES_SHOWN,
        )

    @property
    def title(self) -> str:
        """The beginning of the question: a key means nothing to a reader."""
        return question_line(question_text(self.task)[:BEGINNING_FETCHED], TITLE_CHARS)
