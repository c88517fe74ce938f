"""Removes from an outline the panels and pop-ups around a question.

A box is removed when its lines are exactly those that the look draws for this question. Any other line under
its landmark keeps the whole box in the text of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.outline import INDENT, ids_removed
from core.presentation import Look
from gymsite.arena.panels import Panel, panels_of
from gymsite.arena.pop_ups import PopUp, pop_ups_of


def question_lines(lines: Sequence[str], payload: Mapping[str, Any], look: Look) -> list[str]:
    """The lines of an outline without the boxes of its look, each of which may occur once."""
    left = list(lines)
    for box in (*map(_panel_lines, panels_of(payload, look)), *map(_pop_up_lines, pop_ups_of(payload, look))):
        place = _place(left, box)
        if place is not None:
            del left[place : place + len(box)]
    return left


def _place(lines: Sequence[str], box: Sequence[str]) -> int | None:
    """The place of a box that contains nothing else."""
    plain = [ids_removed(line) for line in lines]
    for place in range(len(plain) - len(box) + 1):
        depth = len(plain[place]) - len(plain[place].lstrip())
        after = plain[place + len(box)] if place + len(box) < len(plain) else ""
        is_whole = not after.startswith(" " * depth + INDENT)
        if is_whole and plain[place : place + len(box)] == [" " * depth + line for line in box]:
            return place
    return None


def _panel_lines(panel: Panel) -> list[str]:
    inside = [f'heading 2 "{panel.heading}"', *(f"text: {text}" for text in panel.texts)]
    items = ["list", *(f"{INDENT}- {item}" for item in panel.items)] if panel.items else []
    return [f'complementary "{panel.label}"', *(INDENT + line for line in (*inside, *items))]


def _pop_up_lines(pop_up: PopUp) -> list[str]:
    inside = [f"text: {pop_up.label}", f"text: {pop_up.text}"]
    buttons = [f'button "{button}"' for button in pop_up.buttons]
    return [f'dialog "{pop_up.label}"', *(INDENT + line for line in (*inside, *buttons))]
