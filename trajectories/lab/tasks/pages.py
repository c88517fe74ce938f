"""The data of the list of tasks and of the page of a task."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.http import QueryDict

from trajectories.lab import access, slow_queries
from trajectories.lab.forms import TaskFilter
from trajectories.lab.queries import episodes, tallies, tasks
from trajectories.lab.queries.prompt_sizes import prompt_sizes_of_task
from trajectories.lab.text.questions import problem_shape


class TasksPage:
    """``rows`` is None if the query was stopped because it took too long."""

    def __init__(self, parameters: QueryDict) -> None:
        self.form = TaskFilter(parameters, benchmarks=tasks.benchmarks_known(), splits=tasks.splits_known())
        self.errors = self.form.error_messages()
        filters = self.form.filters()
        after = filters.pop("cursor", None)
        self.is_first = after is None
        self.rows = _rows(filters, after=after)


def _rows(filters: dict[str, Any], *, after: int | None) -> tasks.TaskPage | None:
    if not filters:  # read by the primary key
        return tasks.task_page(filters={}, after=after)
    return slow_queries.result_in_time(lambda: tasks.task_page(filters=filters, after=after))


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
        newest = episodes.episodes_newest(task_id=task_id)
        self.episodes, self.has_more = newest.episodes, newest.has_more
