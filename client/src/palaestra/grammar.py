"""From a completion to a thought and an action, and back: one grammar, parsed and never evaluated.

Free reasoning comes first (the thought), then one line ``Action: {json object}``. The last line that begins
with ``Action:`` counts. An unreadable one is a parse error, which the model is shown; no input makes this
module raise.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from palaestra.actions import Action, ActionInvalid, action_check

ACTION_LINE = re.compile(r"^[ \t>#*_]*Action[*_]*[ \t]*:[*_]*(?P<json>.*)$", re.MULTILINE)
ACTION_MAX_CHARS = 200_000
# No action needs more, and deeper nesting could not be walked on Python's stack afterwards.
NESTING_MAX = 32


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A parsed completion.

    ``declared`` is the JSON object as it was written (recorded whatever it holds), ``action`` the checked
    one; None when ``parse_error`` says why there is none.
    """

    thought: str
    declared: dict[str, Any] | None = None
    action: Action | None = None
    parse_error: str | None = None


def turn_parse(completion: str) -> Turn:
    """Parse a completion. Never raises: an unreadable one comes back with ``parse_error``."""
    last = max(ACTION_LINE.finditer(completion), key=re.Match.start, default=None)
    if last is None:
        return Turn(thought=completion.strip(), parse_error='There is no line "Action: {...}".')
    thought = completion[: last.start()].strip()
    declared, problem = _object_parse(last["json"].strip())
    if declared is None:
        return Turn(thought=thought, parse_error=problem)
    try:
        return Turn(thought=thought, declared=declared, action=action_check(declared))
    except ActionInvalid as failure:
        return Turn(thought=thought, declared=declared, parse_error=str(failure))


def action_line(kind: str, **fields: object) -> str:
    """The line that declares one action."""
    return "Action: " + json.dumps({"type": kind, **fields}, ensure_ascii=False)


def _object_parse(text: str) -> tuple[dict[str, Any] | None, str]:
    if len(text) > ACTION_MAX_CHARS:
        return None, f"The action is longer than {ACTION_MAX_CHARS} characters."
    try:
        value = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as failure:
        return None, f"The action is not a JSON object: {failure}"
    if not isinstance(value, dict):
        return None, "The action is not a JSON object."
    if _is_deeper(value, NESTING_MAX):
        return None, f"The action is nested deeper than {NESTING_MAX} levels."
    return value, ""


def _is_deeper(value: dict[str, Any], levels: int) -> bool:
    level: list[Any] = [value]
    for _ in range(levels):
        children = [item.values() if isinstance(item, dict) else item for item in level]
        level = [item for items in children for item in items if isinstance(item, (dict, list))]
    return bool(level)
