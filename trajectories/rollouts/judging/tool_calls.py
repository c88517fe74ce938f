"""Tool calls from pages, run by the workers with a sandbox: a program, tried on the visible asserts.

From the gold, only the set-up code is read, which runs between program and asserts. Hidden asserts are
neither read nor sent into a sandbox.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from django.conf import settings

from core.database.sql import Statement, sql_read
from tasks_app.variation import payload_shown
from verifiers import programs
from verifiers.sandbox import Report, SandboxMissing, SandboxStalled, suite_run
from verifiers.sandbox.limits import Limits
from verifiers.types import Gold

logger = logging.getLogger(__name__)

LIMITS = Limits(cpu_s=8, own_s=6.0, wall_s=18.0)
DETAIL_CHARS = 300
PRINTED_CHARS = 2_000
BATCH = 1_000
# The checker puts this prefix before whatever the program raises.
FOREIGN = "CandidateError: "

# The worker may run these two only as functions of the schema ``sandbox`` (``sandbox_sql``).
CLAIM_TEXT, FINISH_TEXT = sql_read(__file__, "call_claim"), sql_read(__file__, "call_finish")
CLAIM = Statement(__file__, "sandbox_call_claim", is_hot=True)
FINISH = Statement(__file__, "sandbox_call_finish", is_hot=True)
DUE = Statement(__file__, "calls_due")
SENT = Statement(__file__, "calls_sent")


class Place(NamedTuple):
    """A tool call, identified by its episode and its number in that episode."""

    episode_id: int
    number: int


def call_do(*, episode_id: int, number: int) -> bool:
    """Run a call and store its result. Return False if it is already claimed, finished or expired."""
    place = {"episode": episode_id, "number": number}
    row = CLAIM.row(**place, timeout=settings.TOOL_CALL_TIMEOUT_S)
    if row is None:
        return False
    program, payload, variation, setup = row
    shown = payload_shown(msgspec.json.decode(payload), msgspec.json.decode(variation or "null"))
    try:
        status, output = "done", output_of(program_try(program, shown, setup=setup))
    except (SandboxMissing, SandboxStalled) as failure:
        logger.error("call %s of episode %s: %s", number, episode_id, failure.message)
        status, output = "failed", {}
    FINISH.run(**place, status=status, output=msgspec.json.encode(output).decode())
    return True


def program_try(program: str, shown: Mapping[str, Any], *, setup: str) -> Report:
    """Run a program on the asserts that its page shows. Raises the errors of ``suite_run``."""
    stub = "\n".join(f"{line} ..." for line in str(shown.get("signature", "")).splitlines())
    gold = Gold(stub, extra={"tests": shown["asserts"], "setup": setup})
    return suite_run(program, programs.build_suite(gold), limits=LIMITS)


def output_of(report: Report) -> dict[str, Any]:
    """Return the result to show on the page.

    It has one entry per assert, or the problem that kept the program from running all of them.
    """
    is_whole = len(report.assert_reasons) == len(report.asserts)
    return {
        "passed": list(report.asserts) if is_whole else [],
        "told": [_detail(why) for why in report.assert_reasons],
        "problem": "" if is_whole else _detail(report.asserts_detail),
        "printed": report.output[:PRINTED_CHARS],
        "is_cut": report.is_output_cut or len(report.output) > PRINTED_CHARS,
    }


def calls_due(*, after_s: float) -> list[Place]:
    """Return calls that no worker has claimed and that were never sent, or not within ``after_s`` seconds."""
    rows = DUE.rows(timeout=settings.TOOL_CALL_TIMEOUT_S, after=after_s, batch=BATCH)
    return [Place(*row) for row in rows]


def calls_mark_sent(places: Sequence[Place]) -> None:
    if not places:
        return
    episodes, numbers = zip(*places, strict=True)
    SENT.run(episodes=list(episodes), numbers=list(numbers))


def _detail(why: str) -> str:
    return why.removeprefix(FOREIGN).rstrip(": ")[:DETAIL_CHARS]
