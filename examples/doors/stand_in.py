"""A stand-in for a model: it types 162 into the only field of a plain page, and hands it in."""

from __future__ import annotations

import re
from typing import Any

# Looks are drawn for every group; the stand-in knows this one alone.
PLAIN = {"form": "below", "pop_ups": "none", "slow": "never"}


def complete(messages: list[dict[str, Any]]) -> str:
    """A completion for a conversation: the action is an action's JSON object on a line of its own."""
    page = messages[-1]["content"]
    field, button = (re.search(rf"\[(e\d+)\] {role}(.*)", page) for role in ("textbox", "button"))
    if field is None or button is None:
        return 'I see no field.\nAction: {"type": "give_up"}'
    if "162" in field[2]:
        return f'I hand it in.\nAction: {{"type": "click", "target": "{button[1]}"}}'
    typing = f'{{"type": "type", "target": "{field[1]}", "text": "162"}}'
    return f"96 rolls less 15 are 81, at $2 each.\nAction: {typing}"
