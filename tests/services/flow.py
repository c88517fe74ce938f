"""Checks that work flows: what was acknowledged, and what still awaits its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

from tests.services import audit
from tests.services.installations import until
from tests.services.traffic import Ledger

FLOW_STEPS = 10
FLOW_ANSWERS = 3
FLOW_S = 60.0
JUDGED_S = 90.0
STREAMED_S = 30.0
# Only tasks that every arm can show, and whose answer is one line or one program.
GOLDS = """
SELECT g.task_id, g.answer FROM tasks_app_gold g JOIN tasks_app_task t ON t.id = g.task_id
WHERE g.is_current AND t.kind IN ('free_answer', 'code') AND t.benchmark_id <> 'reasoning_gym'"""
WAITING = "SELECT episode_id FROM trajectories_submission WHERE judged_at IS NULL"


def golds_of(owner_url: str) -> dict[int, str]:
    """Return the golds by task."""
    return dict(audit.rows(owner_url, GOLDS))


def flow_wait(ledger: Ledger, working: Sequence[Future[None]], *, after: str) -> None:
    """Wait until steps and submissions have been acknowledged again, and verdicts have come."""
    steps, answers, verdicts = ledger.flow()

    def flows() -> bool:
        fail_early(working)
        now = ledger.flow()
        return now[0] >= steps + FLOW_STEPS and min(now[1] - answers, now[2] - verdicts) >= FLOW_ANSWERS

    until(flows, seconds=FLOW_S, what=f"steps, submissions and verdicts flow after {after}")


def judged_wait(owner_url: str, ledger: Ledger) -> None:
    """Wait until every submission has its verdict and the stream's reader has received all of them."""
    until(lambda: not audit.rows(owner_url, WAITING), seconds=JUDGED_S, what="every submission is judged")
    claim = "the stream has sent every verdict"
    until(lambda: len(ledger.streamed) >= len(ledger.expected), seconds=STREAMED_S, what=claim)


def fail_early(working: Sequence[Future[None]]) -> None:
    """Raise the exception that ended a thread of the traffic, if any."""
    for thread in working:
        if thread.done():
            thread.result()
