"""Steps as the server holds them: what is stored counts, whatever another process of the client did since."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.actions import Outcome
from palaestra.actions.answer import Answer
from palaestra.draft import Draft, draft_of, only_fills
from palaestra.fate import AT_FIRST_PAGE
from palaestra.grammars import Turn
from palaestra.protocol.outline import PUBLIC_ROOT
from palaestra.records import Step

ELIDED = "?..."


@dataclass(frozen=True, kw_only=True)
class StoredStep:
    """A step on record: the completion, how it was read, and the result of its action."""

    index: int
    raw: str
    turn: Turn
    outcome: Outcome

    def has_result_of(self, step: Step) -> bool:
        """Return whether ``step`` has the same completion and result, so that its policy need not be told."""
        sent = (step.raw or "", step.action_result, step.result_message or "")
        return sent == (self.raw, self.outcome.result, self.outcome.message)


def is_answer(action: Mapping[str, Any] | None, result: str | None) -> bool:
    """Return whether a step gave an answer that the server took: the first one, if the episode went on."""
    return (action or {}).get("type") == Answer.type and result == "ok"


def stored_of(step: Mapping[str, Any]) -> StoredStep:
    """A step of a trajectory."""
    return StoredStep(
        index=step["index"],
        raw=step["raw"],
        turn=Turn(
            thought=step.get("thought") or "", declared=step["action"], parse_error=step.get("parse_error")
        ),
        outcome=Outcome(result=step["action_result"], message=step.get("result_message") or ""),
    )


STAYING = frozenset({"click", "press"})
"""What leads to another page only by a document that is served, unlike going back."""


def page_after(trajectory: Mapping[str, Any]) -> Draft | None:
    """The page that the last recorded step left, with what is filled in there; None where only the first
    page is known.

    A step that may have led elsewhere says where by its own address, by the link that it clicked, or by the
    last page that was served for it, whose query is not on record.
    """
    steps: Sequence[Mapping[str, Any]] = trajectory["steps"]
    if not steps:
        return None
    last = steps[-1]
    if (last.get("result_message") or "").endswith(AT_FIRST_PAGE):
        return None
    if only_fills(last):
        return draft_of(steps, url=last["url"]) if last.get("url") else None
    served = [
        event["data"]["path"]
        for event in trajectory.get("site_events", ())
        if event["step"] == last["index"] and (event.get("data") or {}).get("path") is not None
    ]
    if not served:
        # No other document came: a part of this one was opened or closed.
        is_same = last["action_result"] == "ok" and (last["action"] or {}).get("type") in STAYING
        return Draft(url=last["url"], fillings=()) if is_same and last.get("url") else None
    address = _address_named(last)
    path = f"{PUBLIC_ROOT}{served[-1]}"
    is_there = address is not None and address.partition("?")[0].partition("#")[0] == path
    return Draft(url=address if is_there and address is not None else path, fillings=())


def _address_named(step: Mapping[str, Any]) -> str | None:
    """Return the address that an action names, or that of the link that it clicks, from the outline."""
    action = step["action"] or {}
    if action.get("type") == "goto":
        return str(action.get("url"))
    text = (step["observation"] or {}).get("text") or ""
    link = re.search(rf"\[{re.escape(str(action.get('target')))}\] link .* -> (\S+)$", text, re.MULTILINE)
    return None if link is None or ELIDED in link[1] else link[1]
