"""BrowserGym's actions as Palaestra records them."""

from __future__ import annotations

import inspect
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import pyparsing
from browsergym.core.action import functions
from browsergym.core.action.parsers import NamedArgument, highlevel_action_parser

from palaestra.actions import ActionInvalid
from palaestra.grammars.counterparts import BROWSERGYM, counterpart_of
from palaestra.protocol.action_results import ActionResult

MESSAGE = "send_msg_to_user"
NO_ELEMENT = "Could not find element with bid"
UNREADABLE = (
    "ValueError: Received an empty action",
    "ValueError: Received a multi-action",
    "NameError: Inval",
)
TIMEOUT = "TimeoutError"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The action of a text, None where BrowserGym finds no call in it, and the one element that it is aimed
    at."""

    action: dict[str, Any] | None
    bid: str = ""


def declared_of(text: str, *, is_answered_by_message: bool = False) -> Declared:
    """What a text declares, by the parser that BrowserGym reads it with. A message to the user is an answer
    where answers are taken that way."""
    try:
        matches = highlevel_action_parser.search_string(text).as_list()
    except (pyparsing.ParseBaseException, ValueError):
        return Declared(action=None)
    own = () if is_answered_by_message else (MESSAGE,)
    actions = [_action(name, arguments, own=own) for calls in matches for name, arguments in calls]
    if not actions:
        return Declared(action=None)
    if len(actions) > 1:
        return Declared(action={"type": "sequence", "actions": actions})
    return Declared(action=actions[0], bid=str(actions[0].get("target") or ""))


def result_of(error: str) -> ActionResult:
    """How an action went, from what BrowserGym says of its error."""
    if not error:
        return "ok"
    if error.startswith(UNREADABLE):
        return "invalid"
    if NO_ELEMENT in error:
        return "no_target"
    return "timeout" if error.startswith(TIMEOUT) else "refused"


def _action(name: str, arguments: Sequence[Any], *, own: Container[str]) -> dict[str, Any]:
    """A call as our action; as ``browsergym.<name>`` where there is none, or among ``own``."""
    fields = _fields(name, arguments)
    row = None if name in own else counterpart_of(name, BROWSERGYM)
    if row is not None:
        try:
            return row.read(fields)
        except ActionInvalid:
            pass
    return {**fields, "type": f"browsergym.{name}"}


def _fields(name: str, arguments: Sequence[Any]) -> dict[str, Any]:
    function = getattr(functions, name, None)
    named = {one.name: one.value for one in arguments if isinstance(one, NamedArgument)}
    positional = [one for one in arguments if not isinstance(one, NamedArgument)]
    if not inspect.isfunction(function):
        return {"arguments": positional, **named}
    names = list(inspect.signature(function).parameters)
    return dict(zip(names, positional, strict=False)) | named
