"""Actions as a person would say them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import outline
from core.tokens import mask_tokens
from trajectories.facts import elements

# How much pages show of what was typed, and of how an action names its element.
WHAT_CHARS = 199
WHERE_CHARS = 79


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """``verb`` is the action's type; ``what`` what was typed, pressed or opened; ``where`` the element in
    words, with ``id`` its number, or as the action names it where the page did not show it."""

    verb: str
    what: str = ""
    where: str = ""
    id: str = ""

    def holds(self, find: str) -> bool:
        """Whether a text is in what pages show of the action's own words; its element's are the page's."""
        own = (self.verb, self.what[:WHAT_CHARS], (self.id or self.where)[:WHERE_CHARS])
        return bool(find) and any(find.lower() in mask_tokens(one).lower() for one in own)


# The key of an action that says what it does, beside the element that it does it to.
OBJECTS = {
    "type": "text",
    "press": "key",
    "select": "value",
    "goto": "url",
    "answer": "text",
    "wait": "ms",
    "scroll": "dy",
}
UNITS = {"wait": " ms", "scroll": " px"}


def action_phrase(action: object, *, target: str = "") -> Phrase:
    """The phrase of a step's action; anything may be in it, a policy wrote it.

    ``target`` is its element in words (``elements.target_told``), empty where nobody knows it.
    """
    if not isinstance(action, Mapping) or not action:
        return Phrase(verb="no action")
    verb = str(action.get("type") or "untyped")
    what = action.get(OBJECTS.get(verb, ""))
    shown = "" if what is None else f"{_text(what)}{UNITS.get(verb, '')}"
    named = _text(action.get("target"))
    return Phrase(verb=verb, what=shown, where=target or named, id=named if target else "")


def short_phrase(action_type: str, *, what: str | None, where: str | None) -> Phrase:
    """The phrase from parts of an action that were read without it."""
    if action_type not in OBJECTS:
        what = None
    shown = "" if what is None else f"{what}{UNITS.get(action_type, '')}"
    return Phrase(verb=action_type or "no action", what=shown, where=where or "")


def pretty(value: object) -> str:
    """JSON for reading, non-ASCII letters as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def element_named(action: object, *, in_observation: str) -> str:
    """The line of the observation that shows the action's target, empty when there is none."""
    target = action.get("target") if isinstance(action, Mapping) else None
    if not isinstance(target, str) or not outline.is_element_id(target):
        return ""
    mark = re.compile(rf"(?:^|[\s\[(]){target}(?=$|[\s\]):])")
    return next((line.strip() for line in in_observation.splitlines() if mark.search(line)), "")


def element_more(action: object, *, in_observation: str) -> str:
    """The same line where it says more than the phrase: a state, an address, options; else empty."""
    line = element_named(action, in_observation=in_observation)
    told = elements.target_told(action, observation=line)
    target = action.get("target") if isinstance(action, Mapping) else None
    element = outline.element_read(line, str(target))
    is_whole = element is not None and element.is_bare and len(told) < elements.TOLD_CHARS
    return "" if told and is_whole else line
