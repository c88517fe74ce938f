"""Actions as JSON on the last line, parsed and never evaluated.

A completion begins with free reasoning (the thought) and ends with one line ``Action: {json object}``. The
last line that begins with ``Action:`` counts. Models deviate from this in many ways, and whatever can be read
in only one way is accepted: the object on later lines or in a fenced block, words after the object, a call
such as ``click(e8)``, an object at the end of a completion without the ``Action:`` line, or a call in the
model's own markup. Anything else is a parse error, which the model is shown and which says what to write
instead. No input makes this module raise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from palaestra.actions import ACTIONS
from palaestra.actions.base import list_fields, list_readers
from palaestra.completion import Completion
from palaestra.grammars.base import Grammar, Turn, check_turn
from palaestra.grammars.calls import NAME, call_read, element_read
from palaestra.grammars.envelopes import envelope_open
from palaestra.grammars.examples import example_make
from palaestra.grammars.lenient_json import Unreadable, space_skip, value_read
from palaestra.grammars.native_calls import calls_find, is_marked
from palaestra.protocol.offers import Conditions, actions_offered

ACTION_MAX_CHARS = 200_000
# The word ``Action`` may be marked up as a list item, quote, heading or emphasis.
_ACTION = re.compile(r"^[ \t>#*_`-]*Action[*_`]*[ \t]*:[ \t*_]*", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:`{1,3}|~{3})(?:json|python)?\s*")
_OBJECT = re.compile(r"^[ \t`]*\{", re.MULTILINE)
_FENCE_END = re.compile(r"[\s`~]*")
_MORE = re.compile(rf"\{{|\b(?:{'|'.join(sorted(ACTIONS))})\(")
_OBJECTS_TRIED = 8
Example = Callable[..., str]
"""A function that returns the line of an example action, given the kind of action."""


class Json(Grammar):
    id = "json"

    def parse(self, completion: Completion, conditions: Conditions, *, shown: str = "") -> Turn:
        return turn_parse(completion.text, conditions, shown=shown)

    def render(self, declared: Mapping[str, Any], *, thought: str = "") -> list[Completion]:
        return [Completion(text=f"{thought}\n{action_line(**declared)}".lstrip())]


def turn_parse(text: str, conditions: Conditions, *, shown: str = "") -> Turn:
    """Parse the text of a completion. Never raises."""

    def example(kind: str = "click") -> str:
        return action_line(**example_make(text, conditions, shown=shown, kind=kind))

    line = max(_ACTION.finditer(text), key=re.Match.start, default=None)
    if line is None:
        return _final_object(text, conditions, example)
    thought = text[: line.start()].strip()
    try:
        return check_turn(thought, _declared(text[line.end() :], conditions, example), conditions)
    except Unreadable as failure:
        return Turn(thought=thought, parse_error=str(failure))


def action_line(type: str, **fields: object) -> str:
    """Return the line that declares one action."""
    return "Action: " + json.dumps({"type": type, **fields}, ensure_ascii=False)


def _final_object(completion: str, conditions: Conditions, example: Example) -> Turn:
    """Return the turn of a completion without an ``Action:`` line, which may end with an action's object."""
    for start in list(_OBJECT.finditer(completion))[: -_OBJECTS_TRIED - 1 : -1]:
        try:
            value, end = value_read(completion, start.end() - 1)
            declared = envelope_open(value)
        except Unreadable:
            continue
        if declared.get("type") in ACTIONS and _FENCE_END.fullmatch(completion, end):
            thought = completion[: start.start()].removesuffix("json\n").strip("`~ \n")
            return check_turn(thought, [declared], conditions)
    if is_marked(completion):
        with suppress(Unreadable):
            thought, calls = calls_find(completion, _schemas())
            return check_turn(thought, [{**fields, "type": name} for name, fields in calls], conditions)
    missing = f'There is no line that begins with "Action:". End your turn with one, such as: {example()}'
    return Turn(thought=completion.strip(), parse_error=missing)


# ---- what follows "Action:"
def _declared(text: str, conditions: Conditions, example: Example) -> list[dict[str, Any]]:
    if len(text) > ACTION_MAX_CHARS:
        raise Unreadable(f"The action is longer than {ACTION_MAX_CHARS} characters.")
    fence = _FENCE.match(text)
    at = space_skip(text, fence.end() if fence else 0)
    if text[at : at + 1] in ("{", "["):
        value, end = value_read(text, at)
        declared = [envelope_open(each) for each in _objects(value)]
    else:
        call, end = _call(text, at, conditions, example)
        declared = [call]
    if _MORE.search(text, end):
        raise Unreadable(f"There is more than one action. Write one per turn, such as: {example()}")
    return declared


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or a list with the single object."""
    objects = value if isinstance(value, list) else [value]
    if not objects or not all(isinstance(each, dict) for each in objects):
        raise Unreadable("An action is one JSON object: { ... }.")
    return objects


# ---- calls: click(e8), type("e3", text="162"), back
def _call(text: str, at: int, conditions: Conditions, example: Example) -> tuple[dict[str, Any], int]:
    line_end = text.find("\n", at)
    shown = text[at : line_end if line_end >= 0 else None][:40].strip()
    name = NAME.match(text, at)
    if name is None or name[1] not in ACTIONS:
        known = ", ".join(actions_offered(conditions))
        begin = f"{shown!r} is not an action." if shown else "There is nothing after it."
        raise Unreadable(
            f'After "Action:" write one JSON object, such as: {example()} {begin} Known: {known}.'
        )
    if text[name.end() : name.end() + 1] != "(":
        return _bare(text, name.end(), name[1])
    try:
        _, fields, end = call_read(text, at, signatures=_signatures())
    except Unreadable as failure:
        raise Unreadable(f"{failure} Or write a JSON object: {example(name[1])}") from failure
    return {"type": name[1], **fields}, end


def _signatures() -> dict[str, list[str]]:
    return {kind: list_fields(kind) for kind in ACTIONS}


def _schemas() -> dict[str, dict[str, Any]]:
    return {kind: {name: reader.schema for name, reader in list_readers(kind).items()} for kind in ACTIONS}


def _bare(text: str, at: int, name: str) -> tuple[dict[str, Any], int]:
    """Parse ``click e8`` or ``back``: an action with at most an element id, alone on the line."""
    names = list_fields(name)
    line = text[at:].split("\n", 1)[0]
    element = element_read(text, at) if "target" in names else None
    rest = text[element[1] if element else at : at + len(line)]
    if rest.strip(" \t.`*"):
        fields = ", ".join(f'"{field}": ...' for field in names)
        raise Unreadable(f'Write the action as a JSON object: Action: {{"type": "{name}", {fields}}}')
    declared = {"type": name, "target": element[0]} if element else {"type": name}
    return declared, at + len(line)
