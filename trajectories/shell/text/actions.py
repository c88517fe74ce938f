"""Short phrases for actions, and labels for their checks and results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.episodes.tokens import mask_tokens
from palaestra.protocol import outline
from trajectories.actions import elements, types
from trajectories.actions.checks import CHECKS, Tone
from trajectories.actions.rules import NOT_PERFORMED, RESULTS
from trajectories.actions.types import ActionType

# Pages show at most this many characters of typed text, and of an element's name in the action.
WHAT_CHARS = 199
WHERE_CHARS = 79
NOT_PERFORMED_LABEL = "Not performed"
NOT_CHECKED_LABEL = "Not checked yet"


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """The parts of the phrase that describes an action.

    ``verb`` is the action's type, and ``manner`` how it was done if that is unusual. ``what`` is the text
    typed, the key pressed or the address opened. ``where`` describes the element, and ``id`` is the element's
    id. If the page did not show the element, ``where`` is the target as written in the action.
    """

    verb: str
    manner: str = ""
    what: str = ""
    where: str = ""
    id: str = ""

    def holds(self, find: str) -> bool:
        """Return True if a text occurs in the displayed action.

        The element's description belongs to the page and does not count.
        """
        parts = (self.verb, self.manner, self.what[:WHAT_CHARS], (self.id or self.where)[:WHERE_CHARS])
        return bool(find) and any(find.lower() in mask_tokens(part).lower() for part in parts)


def action_phrase(action: object, target: str = "") -> Phrase:
    """Return the phrase for a step's action, which may be any JSON that a policy wrote.

    ``target`` is the description of the action's element (``elements.target_description``); empty if unknown.
    """
    if not isinstance(action, Mapping) or not action:
        return Phrase(verb="no action")
    verb = str(action.get("type") or "untyped")
    kind = types.find(verb)
    what = _object(kind, _text(action.get(kind.object))) if kind else ""
    manner = kind.manner(action) if kind and kind.manner else ""
    id_ = _text(action.get("target"))
    return Phrase(verb=verb, manner=manner, what=what, where=target or id_, id=id_ if target else "")


def short_phrase(action_type: str, *, what: str | None, where: str | None) -> Phrase:
    """Return the phrase for an action whose parts were read separately."""
    what = _object(types.find(action_type), what or "")
    return Phrase(verb=action_type or "no action", what=what, where=where or "")


def _object(kind: ActionType | None, what: str) -> str:
    """Return an action's object with its unit, such as a typed text or a number of seconds."""
    return f"{what}{kind.unit}" if kind and kind.object and what else ""


def pretty(value: object, indent: int | None = 2) -> str:
    """Format a value as JSON, with non-ASCII letters unescaped."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else pretty(value, indent=None)


def name_element(action: object, *, in_observation: str) -> str:
    """Return the observation's line that shows the action's target; empty if there is none."""
    target = action.get("target") if isinstance(action, Mapping) else None
    if not isinstance(target, str) or not outline.is_element_id(target):
        return ""
    mark = re.compile(rf"(?:^|[\s\[(]){target}(?=$|[\s\]):])")
    return next((line.strip() for line in in_observation.splitlines() if mark.search(line)), "")


def element_more(action: object, *, in_observation: str) -> str:
    """Return the target's line of the observation if it adds to the phrase, such as a state; else empty."""
    line = name_element(action, in_observation=in_observation)
    description = elements.target_description(action, observation=line)
    target = action.get("target") if isinstance(action, Mapping) else None
    element = outline.element_read(line, str(target))
    is_whole = element is not None and element.is_bare and len(description) < elements.DESCRIPTION_CHARS
    return "" if description and is_whole else line


def name_kind(kind: str, *, action_type: str) -> str:
    """Return the action check's outcome to show; "none" for a confirmed pause, which leaves no trace."""
    action = types.find(action_type)
    return "none" if kind == "confirmed" and action and action.leaves_no_trace else kind


def check_label(kind: str, action_type: str = "", *, result: str = "") -> str:
    """Return a label for an action check's outcome that can be understood without context."""
    kind = name_kind(kind, action_type=action_type)
    if kind == "no_effect" and result in NOT_PERFORMED:
        return NOT_PERFORMED_LABEL
    if kind not in CHECKS:
        return kind
    action = types.find(action_type)
    return (action.labels.get(kind) if action else None) or CHECKS[kind].label


def step_tone(result: str, *, is_unread: bool, is_known: bool) -> Tone:
    """Return the tag colour of a step's result; an unreadable step is worse than a failed action."""
    if is_unread:
        return "bad"
    if not is_known:
        return "warn"
    return RESULTS[result].tone if result in RESULTS else "plain"
