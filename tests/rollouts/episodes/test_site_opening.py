"""Tasks of a mock site from loading to verdict."""

from __future__ import annotations

from datetime import date
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command

from tasks_app.models import Gold, Task
from tests import factories
from tests.conftest import ApiClient, ArenaClient
from trajectories.models import Episode, SiteEvent, Verdict
from trajectories.rollouts.judging import services
from verifiers import denotations

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def tasks(db: None) -> list[Task]:
    call_command("load_benchmark", "stays", count=40, seed=1, split="test")
    return list(Task.objects.filter(benchmark="stays", split="test").order_by("pk"))


def opened(client: ApiClient, tasks: list[Task], **fields: Any) -> tuple[int, Any]:
    body = {"run": factories.run().pk, "tasks": [task.pk for task in tasks], **fields}
    return client.json("POST", "/episodes", body)


def done(tasks: list[Task]) -> Task:
    """A task of doing something rather than answering a question."""
    return next(task for task in tasks if "family:book_stay" in task.tags)


@pytest.mark.parametrize("arm", ["text_zero_shot", "text_agent"])
def test_interactive_tasks_are_refused_in_arms_without_pages(
    trainer: ApiClient, tasks: list[Task], arm: str
) -> None:
    status, answer = opened(trainer, [done(tasks)], arm=arm)
    assert (status, answer["error"]["code"]) == (422, "arm_without_text")
    assert not Episode.objects.exists()


def test_an_interactive_task_adds_only_its_wording_to_the_prompt(
    trainer: ApiClient, tasks: list[Task]
) -> None:
    task = done(tasks)
    status, answer = opened(trainer, [task], arm="gym_with_text")
    assert status == 201
    (messages,) = answer["messages"].values()
    prompt = "\n".join(str(message["content"]) for message in messages)
    assert task.payload["text"].replace("\n", "") in prompt.replace("\n", "")
    assert task.payload["changes"] not in prompt


def test_an_episode_starts_on_the_day_of_its_world(trainer: ApiClient, tasks: list[Task]) -> None:
    assert opened(trainer, tasks[:25])[0] == 201
    for episode in Episode.objects.select_related("task"):
        start = episode.virtual_start.astimezone(ZoneInfo(episode.presentation["time_zone"]))
        assert start.date() == date.fromisoformat(episode.task.payload["first_day"])
        assert start.hour == 9
    assert len(set(Episode.objects.values_list("virtual_start", flat=True))) > 1


def test_pages_and_verifier_agree_on_tasks_of_every_family(
    trainer: ApiClient, arena_client: ArenaClient, tasks: list[Task], settings: Any
) -> None:
    settings.ROOT_URLCONF = "gymsite.urls_lab"
    status, answer = opened(trainer, tasks)
    assert status == 201
    settings.ROOT_URLCONF = "gymsite.urls_arena"
    golds = {gold.task_id: gold for gold in Gold.objects.all()}
    for record in answer["episodes"]:
        address = "/" + record["start_url"].split("/", 3)[3]
        assert arena_client.get(address).status_code == 200
        values = denotations.split_cell(golds[record["task"]].answer)
        body = urlencode([("placed", "1"), *(("answer", value) for value in values)])
        assert arena_client.generic("POST", f"{address}submit", body, content_type=FORM).status_code == 303
        assert services.submission_judge(episode_id=record["id"])

    verdicts = Verdict.objects.select_related("episode")
    assert len(verdicts) == len(tasks)
    for verdict in verdicts:
        extra = golds[verdict.episode.task_id].extra
        is_confirmed = "state" not in extra or not extra["is_possible"]
        assert verdict.outcome == ("correct" if is_confirmed else "incorrect"), extra
    assert {verdict.outcome for verdict in verdicts} == {"correct", "incorrect"}
    assert not SiteEvent.objects.filter(kind="booked").exists()
