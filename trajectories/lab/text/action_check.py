"""Action checks and results as pages show them."""

from __future__ import annotations

from trajectories.actions import registry
from trajectories.actions.checks import CHECKS, Tone
from trajectories.actions.results import NOT_PERFORMED, RESULTS

NOT_PERFORMED_LABEL = "Not performed"
NOT_CHECKED_LABEL = "Not checked yet"


def shown_kind(kind: str, *, action_type: str) -> str:
    """The outcome to show: a page that stayed silent during a pause has confirmed nothing."""
    action = registry.find(action_type)
    return "none" if kind == "confirmed" and action and action.leaves_no_trace else kind


def check_label(kind: str, *, action_type: str = "", result: str = "") -> str:
    """What became of an action, in words that stand alone."""
    kind = shown_kind(kind, action_type=action_type)
    if kind == "no_effect" and result in NOT_PERFORMED:
        return NOT_PERFORMED_LABEL
    if kind not in CHECKS:
        return kind
    action = registry.find(action_type)
    return (action.labels.get(kind) if action else None) or CHECKS[kind].label


def step_tone(result: str, *, is_unread: bool, is_known: bool) -> Tone:
    """What could not be understood is worse than what failed."""
    if is_unread:
        return "bad"
    if not is_known:
        return "warn"
    return RESULTS[result].tone if result in RESULTS else "plain"
