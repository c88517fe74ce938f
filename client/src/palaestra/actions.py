"""From a completion to a thought and an action: one grammar, parsed and never evaluated.

Free reasoning comes first (the thought), then one line ``Action: {json object}``. The last line that begins
with ``Action:`` counts. What cannot be read is a parse error, which the model is told; nothing here raises
for its input.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

ACTION_LINE = re.compile(r"^[ \t>#*_]*Action[*_]*[ \t]*:[*_]*(?P<json>.*)$", re.MULTILINE)
ACTION_MAX_CHARS = 200_000
TEXT_MAX_CHARS = 100_000
# No action needs more, and what is deeper than Python's stack could not be walked afterwards.
NESTING_MAX = 32
ANSWERS_MAX = 100
WAIT_MAX_MS = 2_000
SCROLL_MAX_PX = 100_000
KNOWN_TYPES = ("answer", "back", "click", "goto", "noop", "press", "scroll", "select", "type", "wait")


@dataclass(frozen=True, kw_only=True)
class Action:
    """One checked action. Fields that its ``type`` does not use keep their defaults.

    ``texts`` are the values of an ``answer`` that was given as a list; ``text`` is empty then.
    """

    type: str
    target: str = ""
    text: str = ""
    texts: tuple[str, ...] = ()
    clear: bool = False
    key: str = ""
    dx: int = 0
    dy: int = 0
    value: str = ""
    url: str = ""
    ms: int = 0


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a completion says: ``stated`` is the JSON object as it was written (kept on record whatever it
    holds), ``action`` the checked one, None when ``parse_error`` says why there is none."""

    thought: str
    stated: dict[str, Any] | None = None
    action: Action | None = None
    parse_error: str | None = None


class ActionInvalid(ValueError):
    """A field is missing, of the wrong type or out of range."""


def turn_parse(completion: str) -> Turn:
    """Read a completion. Never raises: an unreadable one comes back with ``parse_error``."""
    last = max(ACTION_LINE.finditer(completion), key=re.Match.start, default=None)
    if last is None:
        return Turn(thought=completion.strip(), parse_error='There is no line "Action: {...}".')
    thought = completion[: last.start()].strip()
    stated, problem = _object_read(last["json"].strip())
    if stated is None:
        return Turn(thought=thought, parse_error=problem)
    try:
        return Turn(thought=thought, stated=stated, action=action_check(stated))
    except ActionInvalid as failure:
        return Turn(thought=thought, stated=stated, parse_error=str(failure))


def action_check(stated: dict[str, Any]) -> Action:
    """The typed action of a JSON object. Raises ``ActionInvalid`` with a sentence for the model."""
    kind = stated.get("type")
    if not isinstance(kind, str) or kind not in _CHECKS:
        if kind is None:
            raise ActionInvalid(f'The key "type" names the action. Known: {", ".join(KNOWN_TYPES)}.')
        raise ActionInvalid(f"There is no action type {kind!r:.40}. Known: {', '.join(KNOWN_TYPES)}.")
    return _CHECKS[kind](stated)


def _object_read(text: str) -> tuple[dict[str, Any] | None, str]:
    if len(text) > ACTION_MAX_CHARS:
        return None, f"The action is longer than {ACTION_MAX_CHARS} characters."
    try:
        found = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as failure:
        return None, f"The action is not a JSON object: {failure}"
    if not isinstance(found, dict):
        return None, "The action is not a JSON object."
    if _is_deeper(found, NESTING_MAX):
        return None, f"The action is nested deeper than {NESTING_MAX} levels."
    return found, ""


def _is_deeper(value: dict[str, Any], levels: int) -> bool:
    level: list[Any] = [value]
    for _ in range(levels):
        inner = [item.values() if isinstance(item, dict) else item for item in level]
        level = [item for items in inner for item in items if isinstance(item, (dict, list))]
    return bool(level)


def _text(stated: dict[str, Any], name: str, *, default: str | None = None) -> str:
    value = stated.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ActionInvalid(f'"{name}" must be a string.')
    text = str(value)
    if len(text) > TEXT_MAX_CHARS:
        raise ActionInvalid(f'"{name}" is longer than {TEXT_MAX_CHARS} characters.')
    return text


def _target(stated: dict[str, Any], *, default: str | None = None) -> str:
    value = stated.get("target", default)
    if not isinstance(value, str):
        raise ActionInvalid('"target" must be an element id such as "e12".')
    return value.strip().strip("[]")[:40]


def _number(stated: dict[str, Any], name: str, *, default: int | None = None, limit: int) -> int:
    value = stated.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -limit <= value <= limit:
        raise ActionInvalid(f'"{name}" must be a number between {-limit} and {limit}.')
    return int(value)


def _type(stated: dict[str, Any]) -> Action:
    clear = stated.get("clear", False)
    if not isinstance(clear, bool):
        raise ActionInvalid('"clear" must be true or false.')
    return Action(type="type", target=_target(stated), text=_text(stated, "text"), clear=clear)


def _answer(stated: dict[str, Any]) -> Action:
    values = stated.get("text")
    if not isinstance(values, list):
        return Action(type="answer", text=_text(stated, "text"))
    if not 0 < len(values) <= ANSWERS_MAX:
        raise ActionInvalid(f'"text" must be a string or a list of 1 to {ANSWERS_MAX} strings.')
    texts = tuple(_text({"text": value}, "text") for value in values)
    return Action(type="answer", texts=texts)


def _scroll(stated: dict[str, Any]) -> Action:
    dx = _number(stated, "dx", default=0, limit=SCROLL_MAX_PX)
    dy = _number(stated, "dy", default=0, limit=SCROLL_MAX_PX)
    if not dx and not dy:
        raise ActionInvalid(
            'A scroll says how far, in pixels: "dy" (positive is down), "dx" (positive is right) or both, '
            'such as {"type": "scroll", "dy": 600}.'
        )
    return Action(type="scroll", target=_target(stated, default=""), dx=dx, dy=dy)


def _wait(stated: dict[str, Any]) -> Action:
    asked = _number(stated, "ms", default=500, limit=10**9)
    return Action(type="wait", ms=min(max(asked, 0), WAIT_MAX_MS))


_CHECKS: dict[str, Callable[[dict[str, Any]], Action]] = {
    "answer": _answer,
    "back": lambda s: Action(type="back"),
    "click": lambda s: Action(type="click", target=_target(s)),
    "goto": lambda s: Action(type="goto", url=_text(s, "url").strip()),
    "noop": lambda s: Action(type="noop"),
    "press": lambda s: Action(type="press", key=_text(s, "key"), target=_target(s, default="")),
    "scroll": _scroll,
    "select": lambda s: Action(type="select", target=_target(s), value=_text(s, "value")),
    "type": _type,
    "wait": _wait,
}
