"""What a killed worker had claimed is judged by another at once, not when its claim has expired."""

from __future__ import annotations

import os
import shutil
import signal
import time
from typing import Any

import httpx
import psycopg
import pytest

from tests.services.installations import POLL_S, until
from tests.services.kills import Installation, verifier_children

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.xdist_group("swept")]

JUDGED_S = 60.0
# The sweeper looks twice, half a second apart.
TAKEN_OVER_S = 3.0
STUCK_S = 1.0
SUBMISSIONS = 20
ENDLESS = "def count_peaks(numbers):\n    while True:\n        pass"


def _submit(installation: Installation, *, benchmark: str, answer: str) -> int:
    lab = httpx.Client(
        base_url=f"http://127.0.0.1:{installation.up.ports['LAB_PORT']}/api/v1",
        headers={"Authorization": f"Bearer {installation.key}"},
    )
    with lab:
        tasks = lab.get("/tasks", params={"benchmark": benchmark, "split": "starter"}).json()["results"]
        run = lab.post("/runs", json={"name": f"dead {benchmark}", "kind": "eval"}).json()["id"]
        body = {"run": run, "tasks": [tasks[0]["id"]], "arm": "text_zero_shot"}
        episode = lab.post("/episodes", json=body).json()["episodes"][0]["id"]
        lab.post(f"/episodes/{episode}/submission", json={"answer": answer}).raise_for_status()
    return int(episode)


def _row(installation: Installation, query: str, episode: int) -> Any:
    with psycopg.connect(installation.owner_url) as owner:
        return owner.execute(query, [episode]).fetchone()


def _is_claimed(installation: Installation, episode: int) -> bool:
    query = "SELECT claimed_by FROM trajectories_submission WHERE episode_id = %s AND claimed_at IS NOT NULL"
    row = _row(installation, query, episode)
    return row is not None and row[0] is not None


def _outcome(installation: Installation, episode: int) -> str | None:
    row = _row(installation, "SELECT outcome FROM trajectories_verdict WHERE episode_id = %s", episode)
    return row and row[0]


def _killed_in_the_middle(installation: Installation, worker: str, episode: int) -> float:
    """Seconds from the worker's death to the verdict."""
    until(lambda: _is_claimed(installation, episode), seconds=JUDGED_S, what=f"{worker} has the claim")
    os.kill(installation.now.child(worker), signal.SIGKILL)
    began = time.monotonic()
    until(lambda: _outcome(installation, episode), seconds=JUDGED_S, what="another worker judges it")
    return time.monotonic() - began


def _stuck(installation: Installation) -> int:
    """An episode that is not judged, since the worker that took it has children that stand still."""
    for _ in range(SUBMISSIONS):
        episode = _submit(installation, benchmark="gsm8k", answer="-987654321")
        until(lambda: _is_claimed(installation, episode), seconds=JUDGED_S, what="it is claimed")  # noqa: B023
        claimed_at = time.monotonic()
        while not _outcome(installation, episode):
            if time.monotonic() - claimed_at > STUCK_S:
                return episode
            time.sleep(POLL_S)
    pytest.fail("the other worker took every submission")


def test_claims_of_a_killed_verify_worker_are_judged_by_the_other(swept: Installation) -> None:
    log = swept.up.var_dir / "logs" / "worker-verify-2.log"
    until(lambda: "ready." in log.read_text(), seconds=JUDGED_S, what="both workers take jobs")
    for child in verifier_children(swept):
        os.kill(child, signal.SIGSTOP)
    episode = _stuck(swept)
    seconds = _killed_in_the_middle(swept, "worker-verify", episode)
    print(f"judged {seconds:.1f} s after the verify worker was killed")
    assert _outcome(swept, episode) == "incorrect"
    assert seconds < TAKEN_OVER_S


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_claims_of_a_killed_sandbox_worker_are_judged_by_the_next(swept: Installation) -> None:
    episode = _submit(swept, benchmark="mbpp", answer=ENDLESS)
    seconds = _killed_in_the_middle(swept, "worker-sandbox", episode)
    print(f"judged {seconds:.1f} s after the sandbox worker was killed")
    assert _outcome(swept, episode) == "incorrect"
