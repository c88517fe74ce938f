"""What stands around a question and lies over it: an observation is read without it, where it is known.

A box is left out when all its lines are those that the look draws for this question, word by word. Any other
line under its landmark keeps the whole box in what the page says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.outline import INDENT, ids_removed
from core.presentation import Look
from gymsite.arena.panels import Panel, panels_of
from gymsite.arena.pop_ups import PopUp, pop_ups_of


def question_lines(lines: Sequence[str], payload: Mapping[str, Any], look: Look) -> list[str]:
    """The lines of an observation without the boxes of its look, each of which may be there once."""
    left = list(lines)
    for box in (*map(_panel_said, panels_of(payload, look)), *map(_pop_up_said, pop_ups_of(payload, look))):
        place = _place(left, box)
        if place is not None:
            del left[place : place + len(box)]
    return left


def _place(lines: Sequence[str], box: Sequence[str]) -> int | None:
    """Where a box stands, with nothing more inside of it."""
    told = [ids_removed(line) for line in lines]
    for place in range(len(told) - len(box) + 1):
        depth = len(told[place]) - len(told[place].lstrip())
        after = told[place + len(box)] if place + len(box) < len(told) else ""
        is_whole = not after.startswith(" " * depth + INDENT)
        if is_whole and told[place : place + len(box)] == [" " * depth + line for line in box]:
            return place
    return None


def _panel_said(panel: Panel) -> list[str]:
    inside = [f'heading 2 "{panel.heading}"', *(f"text: {text}" for text in panel.texts)]
    items = ["list", *(f"{INDENT}- {item}" for item in panel.items)] if panel.items else []
    return [f'complementary "{panel.label}"', *(INDENT + line for line in (*inside, *items))]


def _pop_up_said(pop_up: PopUp) -> list[str]:
    inside = [f"text: {pop_up.label}", f"text: {pop_up.text}"]
    buttons = [f'button "{button}"' for button in pop_up.buttons]
    return [f'dialog "{pop_up.label}"', *(INDENT + line for line in (*inside, *buttons))]
