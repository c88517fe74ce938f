"""The Run tool through a real arena, sweeper, queue and worker."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import dataclass

import httpx
import psycopg
import pytest

from gymsite.services import endpoints
from tests.services.conftest import TOOL_CALL_S
from tests.services.installations import Up, until
from tests.services.kills import Installation

pytestmark = [
    pytest.mark.services,
    pytest.mark.slow,
    pytest.mark.xdist_group("installation"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]

RIGHT = "def count_peaks(n):\n    return sum(a < b > c for a, b, c in zip(n, n[1:], n[2:]))"
ENDLESS = "def count_peaks(numbers):\n    while True:\n        pass"


@dataclass
class Page:
    """The address of an episode, called like its script does."""

    url: str

    def run(self, program: str) -> None:
        assert httpx.post(f"{self.url}run", data={"answer": program}).status_code == 303

    def part(self) -> str:
        return httpx.get(f"{self.url}run", headers={"X-Gym-Part": "run"}).text

    def outcome(self) -> str:
        until(lambda: 'data-state="waiting"' not in self.part(), seconds=2 * TOOL_CALL_S, what="the run ends")
        return self.part()


@pytest.fixture
def page(installation: Installation) -> Page:
    """The page of a code question with the Run tool in an evaluation, which shows all three asserts."""
    lab = httpx.Client(
        base_url=f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}/api/v1",
        headers={"Authorization": f"Bearer {installation.key}"},
    )
    with lab:
        tasks = lab.get("/tasks", params={"benchmark": "mbpp", "split": "starter"}).json()["results"]
        body = {"name": "run", "kind": "eval", "affordances": {"tools": {"run": True}}}
        run = lab.post("/runs", json=body).json()["id"]
        opened = lab.post("/episodes", json={"run": run, "tasks": [tasks[0]["id"]], "arm": "gym"}).json()
    return Page(opened["episodes"][0]["start_url"])


def test_the_page_shows_the_result_of_a_program_that_the_worker_ran(page: Page) -> None:
    page.run(RIGHT)
    assert "3 of 3 passed." in page.outcome()
    page.run("def count_peaks(numbers):\n    return 2")
    assert "1 of 3 passed." in page.outcome()
    assert "2 of 20 runs used." in page.outcome()


def test_a_run_whose_worker_is_killed_is_given_up_and_may_be_repeated(
    page: Page, installation: Installation
) -> None:
    page.run(ENDLESS)
    until(lambda: _is_running(installation.up), seconds=TOOL_CALL_S, what="the worker takes the run")
    os.kill(installation.now.child("worker-sandbox"), signal.SIGKILL)
    assert "could not be run" in page.outcome()
    page.run(RIGHT)
    until(lambda: "3 of 3 passed." in page.part(), seconds=2 * TOOL_CALL_S, what="the repeated run passes")


def _is_running(up: Up) -> bool:
    with psycopg.connect(endpoints.database_url(up.var_dir, role="owner")) as connection:
        rows = connection.execute("SELECT FROM trajectories_toolcall WHERE status = 'running'")
        return rows.fetchone() is not None
