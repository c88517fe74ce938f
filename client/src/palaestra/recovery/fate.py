"""Outcome of a step that another process began, and died before it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palaestra.actions import DONE, Outcome
from palaestra.observation import Observation

AT_FIRST_PAGE = "It is open again at the first page."
LOST_AFTER = f"The page was lost after this action. {AT_FIRST_PAGE}"
LOST_BEFORE = f"The page was lost before this action, which was not done. {AT_FIRST_PAGE}"
TOO_LATE = "The task had ended."


def find_fate(
    trajectory: Mapping[str, Any], *, step: int, is_open: bool, shown: Observation, now: Observation
) -> Outcome | None:
    """Return the outcome of the action of ``step``, which is not recorded; None if it can simply be done.

    ``shown`` is the page on which it was chosen, ``now`` the page that is open. The server has recorded the
    pages that it served and the changes that it made for the step. An action that caused neither was lost
    with the page, and can be done if the page is the same again.
    """
    is_answered = trajectory.get("submission") is not None
    if not is_open:
        return DONE if is_answered else Outcome(result="refused", message=TOO_LATE)
    if any(event["step"] == step for event in trajectory.get("site_events", ())):
        return Outcome(result="ok", message=LOST_AFTER)
    if is_same(shown, now):
        return None
    return Outcome(result="timeout", message=LOST_BEFORE)


def is_same(left: Observation, right: Observation) -> bool:
    """Return whether two observations show the same page in the same state."""
    return (left.text, left.url, left.screenshot) == (right.text, right.url, right.screenshot)
