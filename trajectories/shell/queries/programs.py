"""Tool calls of episodes: programs that they ran, and other calls of page tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, Q
from django.db.models.functions import Left, Length, Now

from core.episodes.tokens import mask_tokens
from tasks_app.variation import get_tools, payload_shown
from trajectories.models import Episode, ToolCall
from trajectories.shell.text.untrusted import first_line

PROGRAM_CHARS = 16_000
STATES = {
    ToolCall.Status.WAITING: ("waiting", "accent"),
    ToolCall.Status.RUNNING: ("being run", "accent"),
    ToolCall.Status.FAILED: ("did not run: no sandbox", "warn"),
}
WHY_CHARS = 80
LOST = ("lost: no answer in time", "warn")
ANSWERED, REFUSED = ("answered", "good"), ("no result", "warn")


@dataclass(frozen=True, kw_only=True)
class Check:
    """One assert as the page showed it; ``error`` is the program's error."""

    text: str
    is_passed: bool
    error: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call. ``row`` has the beginning of its ``program`` or arguments, and their full ``length``.

    ``tone`` is the tag colour for ``state``, which is untrusted because it may quote the program.
    """

    row: Any
    checks: Sequence[Check]
    state: str
    tone: str

    @property
    def is_program_cut(self) -> bool:
        return len(self.row.program) < int(self.row.length)

    @property
    def took_ms(self) -> float | None:
        finished_at = self.row.finished_at
        return (finished_at - self.row.created_at).total_seconds() * 1_000 if finished_at else None


def tool_calls(episode: Episode, **of: int) -> list[Call]:
    """Return an episode's tool calls in order, with long programs cut; ``step`` selects those of one step."""
    if not get_tools(episode.variation):
        return []
    too_long_ago = Now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S)
    rows = (
        ToolCall.objects.filter(episode_id=episode.pk, **of)
        .defer("input")
        .annotate(
            program=Left("input", PROGRAM_CHARS),
            length=Length("input"),
            is_late=ExpressionWrapper(Q(created_at__lt=too_long_ago), output_field=BooleanField()),
        )
        .order_by("number")
    )
    asserts = payload_shown(episode.task.payload, episode.variation).get("asserts", ())
    calls = []
    for row in rows:
        checks = _checks(row.output or {}, asserts)
        state, tone = _state(row, checks)
        calls.append(Call(row=row, checks=checks, state=state, tone=tone))
    return calls


def calls_version(episode: Episode) -> str:
    """Return a text that changes when a tool call starts or finishes; empty for an episode without tools."""
    if not get_tools(episode.variation):
        return ""
    calls = ToolCall.objects.filter(episode_id=episode.pk)
    counts = calls.aggregate(started=Count("number"), finished=Count("finished_at"))
    return f"{counts['started']}.{counts['finished']}"


def _checks(output: Mapping[str, Any], asserts: Sequence[str]) -> list[Check]:
    """Return the result of each assert, as ``trajectories/rollouts/judging/tool_calls.py`` stores it."""
    results = zip(output.get("passed", ()), output.get("told", ()), strict=False)
    return [
        Check(
            text=asserts[place] if place < len(asserts) else f"assert {place + 1}",
            is_passed=bool(is_passed),
            error=str(error),
        )
        for place, (is_passed, error) in enumerate(results)
    ]


def _state(row: Any, checks: Sequence[Check]) -> tuple[str, str]:
    output = row.output or {}
    if row.status == ToolCall.Status.DONE and "is_ok" in output:
        return ANSWERED if output["is_ok"] else REFUSED
    if row.status != ToolCall.Status.DONE:
        is_lost = row.is_late and row.status != ToolCall.Status.FAILED
        return LOST if is_lost else STATES[row.status]
    if problem := str(output.get("problem", "")):
        why = first_line(mask_tokens(problem), limit=WHY_CHARS)
        return (f"failed: {why}" if why else "failed", "bad")
    passed = sum(check.is_passed for check in checks)
    return (f"{passed} of {len(checks)} passed", "good" if passed == len(checks) else "bad")
