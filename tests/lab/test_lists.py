"""Lists of tasks and runs: nonsense in an address is reported, and no search takes long."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.lab.test_pages import Lab

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("/tasks/?page=abc", "“page” is not a filter of the list of tasks; ignored."),
        ("/tasks/?cursor=abc", "“abc” is not a position in this list"),
        ("/tasks/?split=a&split=train", "“split” is given 2 times; the last one counts."),
        ("/?page=2", "“page” is not a filter of the list of runs; ignored."),
        ("/?cursor=-1", "“-1” is not a position in this list"),
    ],
)
def test_unknown_or_invalid_list_parameters_are_reported(
    lab: Lab, annotator: User, address: str, error: str
) -> None:
    factories.task(split="train")
    response = lab(annotator).get(address)
    assert response.status_code == 200
    assert error in unescape(response.content.decode())


@pytest.mark.parametrize("headers", [{"hx-request": "true"}, {}], ids=["fragment", "page"])
def test_a_search_for_tasks_that_takes_too_long_is_stopped_with_a_notice(
    lab: Lab, annotator: User, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(**_more: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")

    monkeypatch.setattr("trajectories.shell.slow_queries.SEARCH_MS", 50)
    monkeypatch.setattr("trajectories.lab.tasks.pages.tasks.task_page", slow)
    response = lab(annotator).get("/tasks/?q=sum", headers=headers)
    assert response.status_code == 503
    assert response["X-Lab-Error"] == "fragment"
    assert "This search was stopped after" in response.content.decode()


@pytest.mark.parametrize(
    "path", ["/", "/?sort=-accuracy", "/tasks/", "/tasks/?sort=accuracy", "/search", "/search?sort=-steps"]
)
def test_a_list_takes_as_many_queries_for_few_rows_as_for_many(lab: Lab, annotator: User, path: str) -> None:
    client, counts = lab(annotator), []
    for _ in range(2):
        for _ in range(3):
            factories.verdict(factories.episode(policy_version=1))
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_runs_are_compared_by_as_many_queries_however_many_there_are(lab: Lab, annotator: User) -> None:
    client, counts = lab(annotator), []
    runs = [factories.run().pk for _ in range(5)]
    for number in (2, 5):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/runs/compare?runs={','.join(map(str, runs[:number]))}")
        counts.append(len(queries))
    assert counts[0] == counts[1]
