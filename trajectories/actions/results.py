"""Labels of action results, for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trajectories.actions.checks import Tone


@dataclass(frozen=True, kw_only=True)
class Result:
    """``not_performed`` says why the harness did nothing; empty where the action was attempted."""

    label: str
    tone: Tone
    not_performed: str = ""


RESULTS: Mapping[str, Result] = {
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
