"""Steps as the server has stored them, which counts, whatever another process of the client did since."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.actions import Outcome
from palaestra.actions.answer import Answer
from palaestra.draft import Draft, find_draft, only_fills
from palaestra.fate import AT_FIRST_PAGE
from palaestra.grammars import Turn
from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.records import Step

ELIDED = "?..."


@dataclass(frozen=True, kw_only=True)
class StoredStep:
    """A recorded step: its completion, the parsed turn, and the result of its action."""

    index: int
    raw: str
    turn: Turn
    outcome: Outcome

    def has_same_result(self, step: Step) -> bool:
        """Return whether ``step`` has the same completion and result: its policy needs no correction."""
        sent = (step.raw or "", step.action_result, step.result_message or "")
        return sent == (self.raw, self.outcome.result, self.outcome.message)


def is_answer(action: Mapping[str, Any] | None, result: str | None) -> bool:
    """Return whether a step submitted an accepted answer: the first one, if the episode continued."""
    return (action or {}).get("type") == Answer.type and result == "ok"


def read_stored(step: Mapping[str, Any]) -> StoredStep:
    """Return a step of a trajectory as a stored step."""
    return StoredStep(
        index=step["index"],
        raw=step["raw"],
        turn=Turn(
            thought=step.get("thought") or "", declared=step["action"], parse_error=step.get("parse_error")
        ),
        outcome=Outcome(result=step["action_result"], message=step.get("result_message") or ""),
    )


STAYING = frozenset({"click", "press"})
"""Actions that lead to another page only by a document that the arena serves, unlike going back."""


def find_last_page(trajectory: Mapping[str, Any]) -> Draft | None:
    """Return the page that the last recorded step left, with its fillings; None if only the first is known.

    Where the step may have led elsewhere, the target is the address in its action, that of the link that it
    clicked, or the last page that was served for it, whose query is not recorded.
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
        # No other document was served: a part of this one was opened or closed.
        is_same = last["action_result"] == "ok" and (last["action"] or {}).get("type") in STAYING
        return Draft(url=last["url"], fillings=()) if is_same and last.get("url") else None
    address = _find_address(last)
    path = f"{PUBLIC_ROOT}{served[-1]}"
    is_there = address is not None and address.partition("?")[0].partition("#")[0] == path
    return Draft(url=address if is_there and address is not None else path, fillings=())


def _find_address(step: Mapping[str, Any]) -> str | None:
    """Return the address in an action, or that of the link that it clicks, from the outline."""
    action = step["action"] or {}
    if action.get("type") == "goto":
        return str(action.get("url"))
    text = (step["observation"] or {}).get("text") or ""
    link = re.search(rf"\[{re.escape(str(action.get('target')))}\] link .* -> (\S+)$", text, re.MULTILINE)
    return None if link is None or ELIDED in link[1] else link[1]
