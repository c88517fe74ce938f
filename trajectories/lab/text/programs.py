"""The programs that an episode ran with the tools of its page, as the lab shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from core.tokens import mask_tokens
from trajectories.lab.text.untrusted import first_line
from trajectories.models import ToolCall

STATES = {
    ToolCall.Status.WAITING: ("waiting", "accent"),
    ToolCall.Status.RUNNING: ("being run", "accent"),
    ToolCall.Status.FAILED: ("did not run: no sandbox", "warn"),
}
WHY_CHARS = 80
LOST = ("lost: no answer in time", "warn")


@dataclass(frozen=True, kw_only=True)
class Check:
    """One assert as the page showed it; ``told`` is the error of the program."""

    text: str
    is_passed: bool
    told: str


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call. ``program`` is the beginning of a text of ``length`` characters.

    ``tone`` is the tag colour of ``state``, which may quote the program and is therefore untrusted.
    """

    number: int
    tool: str
    step: int | None
    program: str
    length: int
    state: str
    tone: str
    checks: Sequence[Check]
    problem: str
    printed: str
    is_cut: bool
    created_at: datetime
    took_ms: float | None

    @property
    def is_program_cut(self) -> bool:
        return len(self.program) < self.length


def call_of(row: Any, *, asserts: Sequence[str]) -> Call:
    """``row``: a ``ToolCall`` with ``program``, ``length``, ``is_late``; ``asserts``: those of its page."""
    output: Mapping[str, Any] = row.output or {}
    checks = _checks(output, asserts)
    state, tone = _state(row, output, checks)
    return Call(
        number=row.number,
        tool=row.tool,
        step=row.step,
        program=row.program,
        length=row.length,
        state=state,
        tone=tone,
        checks=checks,
        problem=str(output.get("problem", "")),
        printed=str(output.get("printed", "")),
        is_cut=bool(output.get("is_cut")),
        created_at=row.created_at,
        took_ms=_took_ms(row),
    )


def _checks(output: Mapping[str, Any], asserts: Sequence[str]) -> list[Check]:
    """The result of each assert, as ``trajectories/judging/tool_calls.py`` stores it."""
    results = zip(output.get("passed", ()), output.get("told", ()), strict=False)
    return [
        Check(
            text=asserts[place] if place < len(asserts) else f"assert {place + 1}",
            is_passed=bool(is_passed),
            told=str(error),
        )
        for place, (is_passed, error) in enumerate(results)
    ]


def _state(row: Any, output: Mapping[str, Any], checks: Sequence[Check]) -> tuple[str, str]:
    if row.status != ToolCall.Status.DONE:
        is_lost = row.is_late and row.status != ToolCall.Status.FAILED
        return LOST if is_lost else STATES[row.status]
    if problem := str(output.get("problem", "")):
        return (_failed(problem), "bad")
    passed = sum(check.is_passed for check in checks)
    return (f"{passed} of {len(checks)} passed", "good" if passed == len(checks) else "bad")


def _failed(problem: str) -> str:
    """Why the program ended, which may quote the program."""
    why = first_line(mask_tokens(problem), limit=WHY_CHARS)
    return f"failed: {why}" if why else "failed"


def _took_ms(row: Any) -> float | None:
    if row.finished_at is None:
        return None
    took: timedelta = row.finished_at - row.created_at
    return took.total_seconds() * 1_000
