"""Actions about which a page has nothing to report."""

from __future__ import annotations

from typing import Any

from palaestra.protocol.actions import ACTION_SPECS
from trajectories.actions.marks import place_of
from trajectories.actions.rules import nothing_expected
from trajectories.actions.types import ActionType, register


def _register(action_id: str, **facts: Any) -> None:
    register(ActionType(spec=ACTION_SPECS[action_id], rule=nothing_expected, is_passive=True, **facts))


_register("find", object="text", verbs=("find", "look for"))
_register("give_up", object="reason", verbs=("give up",), needs_page=False)
_register("hover", verbs=("hover", "hover over"), marks=lambda action, _events, _scrolled: place_of(action))
_register("noop")
_register("note", object="text", verbs=("note", "remember"), needs_page=False)
_register("read", object="section", verbs=("read",))
_register("wait", object="ms", unit=" ms", verbs=("wait",))
