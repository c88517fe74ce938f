"""The list of tasks, and the attempts at one."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests import factories
from tests.conftest import LabClient
from trajectories.lab.tasks.pages import TASKS
from trajectories.models import Submission
from trajectories.shell.grid.view import Sort
from trajectories.shell.queries import tasks

pytestmark = pytest.mark.django_db

Lab = Callable[[User | None], LabClient]


def test_every_column_of_tasks_sorts_both_ways_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "TASKS_PER_PAGE", 2)
    made = [factories.task(difficulty=share) for share in (None, 0.5, 0.2)]
    for task, outcome in ((made[0], "correct"), (made[1], "incorrect"), (made[1], "correct")):
        factories.verdict(factories.episode(task=task), outcome)

    def ids_in(sort: Sort) -> list[int]:
        ids, after = [], None
        while True:
            page = tasks.task_page(filters={}, sort=sort, after=after)
            ids += [row.pk for row in page.rows]
            if (after := page.after) is None:
                return ids

    for column in (one for one in TASKS.columns if one.is_sortable):
        up, down = (ids_in(Sort(column=column, is_descending=is_down)) for is_down in (False, True))
        assert sorted(up) == sorted(task.pk for task in made), column.id
        if column.sort:
            assert up == down[::-1], column.id
    half, whole, none = made[1].pk, made[0].pk, made[2].pk
    for name in ("accuracy", "arm_gym"):
        up, down = (
            ids_in(Sort(column=TASKS.by_id[name], is_descending=is_down)) for is_down in (False, True)
        )
        assert (up, down) == ([half, whole, none], [whole, half, none])


def test_a_row_has_the_question_its_kind_and_the_accuracy_by_arm(lab: Lab, annotator: User) -> None:
    task = factories.task(key="starter-1", payload={"text": "How many <b>apples</b>?"})
    for arm, outcome in (("gym", "correct"), ("gym", "incorrect"), ("text_agent", "correct")):
        factories.verdict(factories.episode(task=task, arm=arm), outcome)
    factories.verdict(factories.episode(task=task, arm="gym"), "void", "lease_lost")
    html = lab(annotator).get("/tasks/").content.decode()
    cells = dict(re.findall(r'<td[^>]*data-label="([^"]+)">(.*?)</td>', html, flags=re.DOTALL))
    texts = {name: " ".join(re.sub(r"<[^>]+>", " ", cell).split()) for name, cell in cells.items()}
    assert texts["Task"] == "How many &lt;b&gt;apples&lt;/b&gt;?"
    assert texts["Kind"] == "Free answer"
    assert texts["Episodes"] == "4"
    assert texts["Accuracy"] == "66.7% / 3"
    assert (texts["Page"], texts["Text, agent format"]) == ("50.0% / 2", "100% / 1")
    assert texts["Text, zero-shot"] == "–"


def test_a_task_groups_its_attempts_by_arm_and_run(lab: Lab, annotator: User) -> None:
    task = factories.task(key="starter-1", payload={"text": "How many apples?"})
    first, second = factories.run(name="first"), factories.run(name="second")
    for run, arm, answer in (
        (first, "gym", "seven"),
        (second, "gym", "eight"),
        (second, "text_agent", "<i>nine"),
    ):
        episode = factories.episode(task=task, run=run, arm=arm)
        Submission.objects.create(episode=episode, answer=answer, channel="page")
        factories.verdict(episode)
    html = lab(annotator).get(f"/tasks/{task.pk}/").content.decode()
    heading = re.sub(r"<[^>]+>", "", html.partition("<h1>")[2].partition("</h1>")[0]).strip()
    assert heading == "How many apples?"
    table = html.partition("attempts-arm")[2].partition("</table>")[0]
    places = [
        table.index(word) for word in ("second", "eight", "first", "seven", "text_agent", "&lt;i&gt;nine")
    ]
    assert places == sorted(places)
