"""Conversion of BrowserGym's actions to the form in which Palaestra records them."""

from __future__ import annotations

import inspect
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import pyparsing
from browsergym.core.action import functions
from browsergym.core.action.parsers import NamedArgument, highlevel_action_parser

from palaestra.actions import ActionInvalid
from palaestra.grammars.counterparts import BROWSERGYM, find_counterpart
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
    """The action in a text (None if BrowserGym finds no call there), and the ``bid`` of its target."""

    action: dict[str, Any] | None
    bid: str = ""


def parse_declared(text: str, *, is_answered_by_message: bool = False) -> Declared:
    """Parse a text with BrowserGym's own parser.

    With ``is_answered_by_message``, a message to the user becomes the ``answer`` action.
    """
    try:
        matches = highlevel_action_parser.search_string(text).as_list()
    except (pyparsing.ParseBaseException, ValueError):
        return Declared(action=None)
    own = () if is_answered_by_message else (MESSAGE,)
    actions = [_convert_call(name, arguments, own=own) for calls in matches for name, arguments in calls]
    if not actions:
        return Declared(action=None)
    if len(actions) > 1:
        return Declared(action={"type": "sequence", "actions": actions})
    return Declared(action=actions[0], bid=str(actions[0].get("target") or ""))


def classify_error(error: str) -> ActionResult:
    """Return the result of an action, given BrowserGym's error message."""
    if not error:
        return "ok"
    if error.startswith(UNREADABLE):
        return "invalid"
    if NO_ELEMENT in error:
        return "no_target"
    return "timeout" if error.startswith(TIMEOUT) else "refused"


def _convert_call(name: str, arguments: Sequence[Any], *, own: Container[str]) -> dict[str, Any]:
    """Convert a call to our action, or to ``browsergym.<name>`` if we have none or the name is in ``own``."""
    fields = _name_arguments(name, arguments)
    row = None if name in own else find_counterpart(name, BROWSERGYM)
    if row is not None:
        try:
            return row.read(fields)
        except ActionInvalid:
            pass
    return {**fields, "type": f"browsergym.{name}"}


def _name_arguments(name: str, arguments: Sequence[Any]) -> dict[str, Any]:
    function = getattr(functions, name, None)
    named = {argument.name: argument.value for argument in arguments if isinstance(argument, NamedArgument)}
    positional = [argument for argument in arguments if not isinstance(argument, NamedArgument)]
    if not inspect.isfunction(function):
        return {"arguments": positional, **named}
    names = list(inspect.signature(function).parameters)
    return dict(zip(names, positional, strict=False)) | named
