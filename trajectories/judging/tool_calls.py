"""Tool calls from pages, run by the workers with a sandbox: a program, tried on the visible asserts.

The gold's set-up code, which runs between program and asserts, is all that is read of it; hidden asserts are
neither read nor sent into a sandbox.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db import connection

from tasks_app.variation import payload_shown
from trajectories.hot_sql import hot_cursor
from verifiers import programs
from verifiers.sandbox import Report, SandboxMissing, suite_run
from verifiers.sandbox.limits import Limits
from verifiers.types import Gold

logger = logging.getLogger(__name__)

LIMITS = Limits(cpu_s=8, wall_s=6.0)
DETAIL_CHARS = 300
PRINTED_CHARS = 2_000
BATCH = 1_000
# How the checker labels whatever the program raises.
FOREIGN = "CandidateError: "

# At most once: a call whose worker dies is lost, and its page says so after the time-out.
_CLAIM = """
UPDATE trajectories_toolcall c SET status = 'running', claimed_at = now()
FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE c.episode_id = %(episode)s AND c.number = %(number)s AND c.status = 'waiting' AND e.id = c.episode_id
    AND c.created_at > now() - make_interval(secs => %(timeout)s)
RETURNING c.input, t.payload::text, e.variation::text, coalesce(g.extra->>'setup', '')"""

_FINISH = """
UPDATE trajectories_toolcall SET status = %(status)s, output = %(output)s::jsonb, finished_at = now()
WHERE episode_id = %(episode)s AND number = %(number)s AND status = 'running'"""

_DUE = """
SELECT episode_id, number FROM trajectories_toolcall
WHERE status = 'waiting' AND created_at > now() - make_interval(secs => %(timeout)s)
    AND coalesce(sent_at, created_at) < now() - make_interval(secs => %(after)s)
ORDER BY created_at, episode_id, number LIMIT %(batch)s"""

_SENT = """
UPDATE trajectories_toolcall c SET sent_at = now()
FROM unnest(%(episodes)s::bigint[], %(numbers)s::int[]) AS s(episode_id, number)
WHERE (c.episode_id, c.number) = (s.episode_id, s.number)"""


class Place(NamedTuple):
    """A call, identified by its episode and its number there."""

    episode_id: int
    number: int


def place_read(notice: str) -> Place:
    """The place that a notice such as ``17.2`` names."""
    episode_id, number = notice.split(".")
    return Place(int(episode_id), int(number))


def call_do(*, episode_id: int, number: int) -> bool:
    """Run a call and store its result; False when it is already claimed, finished or expired."""
    place = {"episode": episode_id, "number": number}
    with hot_cursor() as cursor:
        cursor.execute(_CLAIM, {**place, "timeout": settings.TOOL_CALL_TIMEOUT_S})
        row = cursor.fetchone()
    if row is None:
        return False
    program, payload, variation, setup = row
    shown = payload_shown(msgspec.json.decode(payload), msgspec.json.decode(variation or "null"))
    try:
        status, output = "done", output_of(program_try(program, shown, setup=setup))
    except SandboxMissing as failure:
        logger.error("call %s of episode %s: %s", number, episode_id, failure.message)
        status, output = "failed", {}
    with hot_cursor() as cursor:
        cursor.execute(_FINISH, {**place, "status": status, "output": msgspec.json.encode(output).decode()})
    return True


def program_try(program: str, shown: Mapping[str, Any], *, setup: str) -> Report:
    """Run a program on the asserts that its page shows. Raises ``SandboxMissing``."""
    stub = "\n".join(f"{line} ..." for line in str(shown.get("signature", "")).splitlines())
    gold = Gold(stub, extra={"tests": shown["asserts"], "setup": setup})
    return suite_run(program, programs.suite_of(gold), limits=LIMITS)


def output_of(report: Report) -> dict[str, Any]:
    """The page's result: one per assert, or the problem that kept the program from running them all."""
    is_whole = len(report.asserts_told) == len(report.asserts)
    return {
        "passed": list(report.asserts) if is_whole else [],
        "told": [_detail(why) for why in report.asserts_told],
        "problem": "" if is_whole else _detail(report.asserts_detail),
        "printed": report.output[:PRINTED_CHARS],
        "is_cut": report.is_output_cut or len(report.output) > PRINTED_CHARS,
    }


def calls_due(*, after_s: float) -> list[Place]:
    """Calls requested or sent at least ``after_s`` seconds ago that no worker has claimed."""
    parameters = {"timeout": settings.TOOL_CALL_TIMEOUT_S, "after": after_s, "batch": BATCH}
    with connection.cursor() as cursor:
        cursor.execute(_DUE, parameters)
        return [Place(*row) for row in cursor.fetchall()]


def calls_mark_sent(places: Sequence[Place]) -> None:
    if not places:
        return
    episodes, numbers = zip(*places, strict=True)
    with connection.cursor() as cursor:
        cursor.execute(_SENT, {"episodes": list(episodes), "numbers": list(numbers)})


def _detail(why: str) -> str:
    return why.removeprefix(FOREIGN).rstrip(": ")[:DETAIL_CHARS]
