"""A judge among many calls of others: what is read of it every few seconds, and by its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from tests.judges import scene
from trajectories.judges.background import calls_left, find_outage
from trajectories.judges.pages.page import GRADES_PER_PAGE, JudgesPage, list_grades
from trajectories.judges.parser import judge_of
from trajectories.judges.services import judge_store
from trajectories.models import Judge, JudgeCall

pytestmark = pytest.mark.django_db
OWN, OTHERS, ATTACKS = 2_000, 20_000, 100
CALLS = """
INSERT INTO trajectories_judgecall (judge_id, episode_id, criterion, attack, request_sha256, reply, grade,
    problem, prompt_tokens, completion_tokens, took_ms)
SELECT %s, n, 'grounded', %s, '', '', 'yes', '', 0, 0, 1 FROM generate_series(1, %s) AS n"""


@pytest.fixture
def judge() -> Judge:
    """One whose calls are older than many of another's."""
    made, other = (
        judge_store(scene.toml(name=name, url=f"http://{name}.test/v1"))[0] for name in ("old", "busy")
    )
    with connection.cursor() as cursor:
        for one, attack, number in ((made, "", OWN), (made, "praise", ATTACKS), (other, "", OTHERS)):
            cursor.execute(CALLS, [one.pk, attack, number])
        cursor.execute("ANALYZE trajectories_judgecall")
    return made


def rows_read(statement: str) -> int:
    """How many rows of calls a statement looks at."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        (((plan,),),) = cursor.fetchall()
    return sum(
        node["Actual Loops"] * (node["Actual Rows"] + node.get("Rows Removed by Filter", 0))
        for node in nodes_of(plan["Plan"])
        if node.get("Relation Name") == JudgeCall._meta.db_table
    )


def nodes_of(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for part in node.get("Plans", []):
        yield from nodes_of(part)


def most_read(does: Callable[[], object]) -> int:
    """The most that one of the statements about calls looks at."""
    with CaptureQueriesContext(connection) as context:
        does()
    statements = [query["sql"] for query in context.captured_queries]
    read = [rows_read(one) for one in statements if "trajectories_judgecall" in one]
    assert read
    return max(read)


def test_a_page_of_its_calls_reads_no_calls_of_others(judge: Judge) -> None:
    body = judge_of(judge.body)
    newest = JudgeCall.objects.filter(judge=judge).order_by("-pk")[0].pk
    for before in (None, newest - OWN // 2):
        for criterion in ("", "grounded"):
            page = partial(list_grades, judge, body, before=before, criterion=criterion)
            assert most_read(page) <= GRADES_PER_PAGE + 1 + ATTACKS, (before, criterion)
    assert most_read(lambda: JudgesPage(QueryDict(""))) <= ATTACKS + 3


def test_whether_it_may_be_called_reads_its_newest_alone(judge: Judge, settings: Any) -> None:
    assert most_read(lambda: find_outage(judge)) <= ATTACKS + 1
    assert most_read(lambda: calls_left(judge)) <= settings.JUDGE_CALLS_PER_MINUTE
