from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import factories
from trajectories.models import Episode, PromptSize

pytestmark = pytest.mark.django_db
Lab = Callable[[User], Client]


def measured(episode: Episode, history: str, characters: int, tokens: int | None = None) -> None:
    sizes = {"characters": characters, "longest_characters": characters // 2}
    more = {} if tokens is None else {"tokens": tokens, "longest_tokens": tokens // 2}
    PromptSize.objects.create(episode=episode, history=history, **sizes, **more)


def table_of(client: Client, task: int) -> list[list[str]]:
    html = client.get(f"/tasks/{task}/").content.decode()
    section = html.partition('aria-labelledby="prompts"')[2].partition("</section>")[0]
    rows = re.findall(r"<tr.*?</tr>", section, re.DOTALL)[1:]
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]*>", "", cell).split()) for cell in row] for row in cells]


def test_a_task_shows_how_long_its_prompts_are_under_each_history(lab: Lab, owner: User) -> None:
    task, run = factories.task(), factories.run(observation="axtree-v2")
    one, two = (factories.episode(run=run, task=task, arm="gym") for _ in range(2))
    measured(one, "full", 90_000, 30_000)
    measured(two, "full", 30_000, 10_000)
    measured(one, "last_k:1", 8_000)
    measured(two, "last_k:1", 6_000, 2_000)
    measured(factories.episode(run=run, task=task, arm="text_agent"), "full", 400, 100)
    measured(factories.episode(run=run), "full", 7)

    assert table_of(lab(owner), task.pk) == [
        ["Full", "Page", "Outline", "2", "20,000", "15,000", "60,000", "45,000"],
        ["Last observation", "Page", "Outline", "2", "–", "–", "7,000", "4,000"],
        ["Full", "Text, agent format", "–", "1", "100", "50", "400", "200"],
    ]


def test_a_task_whose_prompts_nobody_measured_says_nothing_of_them(lab: Lab, owner: User) -> None:
    assert table_of(lab(owner), factories.task().pk) == []
