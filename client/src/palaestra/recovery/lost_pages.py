"""Lost pages: the outcome of an interrupted action, and the page and unsent input to restore."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.actions import ACTIONS, DONE, Action, ActionInvalid, Outcome, action_check, action_perform
from palaestra.observation import Observation
from palaestra.pages.surface import Surface
from palaestra.protocol.action_results import UNDONE
from palaestra.protocol.actions import LOOKS
from palaestra.protocol.outline import PUBLIC_ROOT

ELIDED = "?..."
FILLS = frozenset({"fill", "select", "type"})
SENDING_KEY = "\n"
STAYING = frozenset({"click", "press"})
"""Actions that can lead to another page only if the arena serves a document, unlike going back."""
AT_FIRST_PAGE = "It is open again at the first page."
LOST_AFTER = f"The page was lost after this action. {AT_FIRST_PAGE}"
LOST_BEFORE = f"The page was lost before this action, which was not done. {AT_FIRST_PAGE}"
TOO_LATE = "The task had ended."


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The URL of the page that an agent saw last, and the actions to repeat there."""

    url: str
    fillings: Sequence[Action]

    async def restore(self, page: Surface) -> None:
        """Restore the draft, as far as possible, in a page that shows the episode's first page."""
        if page.masked(page.page.url) != self.url:
            await action_perform(page, action_check({"type": "goto", "url": self.url}))
        if self.fillings:
            await page.observe(acted=False)  # this assigns ids to the elements
        for filling in self.fillings:
            await action_perform(page, filling)


def find_draft(steps: Sequence[Mapping[str, Any]], *, url: str) -> Draft:
    """Return the draft that recorded steps left on the page at ``url``.

    The draft is everything filled in since the last action that may have led to another page or changed this
    one.
    """
    fillings: list[Action] = []
    for step in reversed(steps):
        parts = _find_fillings(step)
        if parts is None:
            break
        fillings[:0] = parts
    return Draft(url=url, fillings=fillings)


def find_last_page(trajectory: Mapping[str, Any]) -> Draft | None:
    """Return the page after the last recorded step, with its fillings; None if only the first page is known.

    If the step may have led elsewhere, the page's URL is the one in the action, that of the link that was
    clicked, or that of the last page served for the step, whose query is not recorded.
    """
    steps: Sequence[Mapping[str, Any]] = trajectory["steps"]
    if not steps:
        return None
    last = steps[-1]
    if (last.get("result_message") or "").endswith(AT_FIRST_PAGE):
        return None
    if only_fills(last):
        return find_draft(steps, url=last["url"]) if last.get("url") else None
    served = [
        event["data"]["path"]
        for event in trajectory.get("site_events", ())
        if event["step"] == last["index"] and (event.get("data") or {}).get("path") is not None
    ]
    if not served:
        # No other document was served, so the action only opened or closed a part of this one.
        is_same = last["action_result"] == "ok" and (last["action"] or {}).get("type") in STAYING
        return Draft(url=last["url"], fillings=()) if is_same and last.get("url") else None
    address = _find_address(last)
    path = f"{PUBLIC_ROOT}{served[-1]}"
    is_there = address is not None and address.partition("?")[0].partition("#")[0] == path
    return Draft(url=address if is_there and address is not None else path, fillings=())


def fills(action: Action) -> bool:
    """Return whether an action changes only fields; text with the key that sends a form does more."""
    return action.type in FILLS and SENDING_KEY not in getattr(action, "text", "")


def only_fills(step: Mapping[str, Any]) -> bool:
    """Return whether a recorded step changed nothing but fields on its page."""
    return _find_fillings(step) is not None


def _find_fillings(step: Mapping[str, Any]) -> list[Action] | None:
    """Return a step's actions that fill in fields; None if it may have done more, or its page was lost."""
    declared = step["action"]
    if (step.get("result_message") or "").endswith(AT_FIRST_PAGE):
        return None
    if declared is None or step["action_result"] in UNDONE:
        return []
    if step["action_result"] != "ok":
        return None
    try:
        action = action_check(declared)
    except ActionInvalid:
        return None
    parts: Sequence[Action] = getattr(action, "actions", (action,))
    if not all(part.type in LOOKS or _fills(part, step) for part in parts):
        return None
    return [part for part in parts if part.type not in LOOKS]


def _fills(action: Action, step: Mapping[str, Any]) -> bool:
    if action.type in FILLS:
        return fills(action)
    is_click = isinstance(action, ACTIONS["click"])
    return is_click and _is_switch(getattr(action, "target", ""), step)


def _is_switch(target: str, step: Mapping[str, Any]) -> bool:
    outline = (step["observation"] or {}).get("text") or ""
    return re.search(rf"\[{re.escape(target)}\] (?:checkbox|radio|switch)\b", outline) is not None


def _find_address(step: Mapping[str, Any]) -> str | None:
    """Return the URL in a step's action, or the URL that the outline shows for the link that was clicked."""
    action = step["action"] or {}
    if action.get("type") == "goto":
        return str(action.get("url"))
    text = (step["observation"] or {}).get("text") or ""
    link = re.search(rf"\[{re.escape(str(action.get('target')))}\] link .* -> (\S+)$", text, re.MULTILINE)
    return None if link is None or ELIDED in link[1] else link[1]


def find_fate(
    trajectory: Mapping[str, Any], *, step: int, is_open: bool, shown: Observation, now: Observation
) -> Outcome | None:
    """Return the outcome of an interrupted action, which is not recorded; None if it can still be done.

    ``shown`` is the page on which the action was chosen, ``now`` the page that is open. The server has
    recorded the pages that it served and the changes that it made for the step. If there are none, the action
    was lost with the page, and can be done if the page is the same again.
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
