"""Labels and tones of action checks and results."""

from __future__ import annotations

from trajectories.actions import registry
from trajectories.actions.checks import CHECKS, Tone
from trajectories.actions.results import NOT_PERFORMED, RESULTS

NOT_PERFORMED_LABEL = "Not performed"
NOT_CHECKED_LABEL = "Not checked yet"


def shown_kind(kind: str, *, action_type: str) -> str:
    """The outcome to show: none for a confirmed pause, which leaves no trace to confirm."""
    action = registry.find(action_type)
    return "none" if kind == "confirmed" and action and action.leaves_no_trace else kind


def check_label(kind: str, *, action_type: str = "", result: str = "") -> str:
    """The outcome of an action as a label that needs no context."""
    kind = shown_kind(kind, action_type=action_type)
    if kind == "no_effect" and result in NOT_PERFORMED:
        return NOT_PERFORMED_LABEL
    if kind not in CHECKS:
        return kind
    action = registry.find(action_type)
    return (action.labels.get(kind) if action else None) or CHECKS[kind].label


def step_tone(result: str, *, is_unread: bool, is_known: bool) -> Tone:
    """The tone of a step's result; an unreadable step is worse than a failed action."""
    if is_unread:
        return "bad"
    if not is_known:
        return "warn"
    return RESULTS[result].tone if result in RESULTS else "plain"
