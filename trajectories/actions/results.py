"""The result codes of actions: what the harness reports after it tried to perform one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trajectories.actions.checks import Tone

ResultCode = Literal["ok", "no_target", "refused", "timeout", "invalid"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """``not_performed`` says why the harness did nothing; empty where the action was attempted."""

    label: str
    tone: Tone
    not_performed: str = ""


RESULTS: dict[str, Result] = {
    "ok": Result(label="OK", tone="good"),
    "no_target": Result(
        label="No target", tone="warn", not_performed="the harness found no element to act on"
    ),
    "refused": Result(label="Refused", tone="bad", not_performed="the harness refused the action"),
    "timeout": Result(label="Timed out", tone="warn"),
    "invalid": Result(label="Invalid", tone="bad", not_performed="the harness could not read the action"),
}
# Results after which the page cannot have changed.
NOT_PERFORMED = {code: result.not_performed for code, result in RESULTS.items() if result.not_performed}
