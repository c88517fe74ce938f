"""Lists of tasks and runs: nonsense in an address is reported, and no search takes long."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

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

    monkeypatch.setattr("trajectories.lab.slow_queries.SEARCH_MS", 50)
    monkeypatch.setattr("trajectories.lab.tasks.pages.tasks.task_page", slow)
    response = lab(annotator).get("/tasks/?q=sum", headers=headers)
    assert response.status_code == 503
    assert response["X-Lab-Error"] == "fragment"
    assert "This search was stopped after" in response.content.decode()
