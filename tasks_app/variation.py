"""What one episode shows otherwise than its task: a plain JSON object on the episode's row, or None.

``order``: the permutation of the choices. ``asserts``: all shown asserts of a program, where the task holds
back some. ``tools``: names of the tools on the page. ``text``: the form in which the prompt tells of a mock
site (``tasks_app/worlds/text_view.py``). ``task_bar``: false where a mock site's pages neither tell the task
nor take its answer. It is public to whoever sees the page, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks_app import choices

Arrangement = Mapping[str, Any]


def arranged(payload: Mapping[str, Any], arrangement: Arrangement | None) -> Mapping[str, Any]:
    """The payload as the episode shows it; an order of choices that the task no longer has moves none."""
    if not arrangement:
        return payload
    shown = dict(payload)
    if "order" in arrangement and "choices" in payload:
        shown["choices"] = choices.choices_move(payload["choices"], arrangement["order"])
    if "asserts" in arrangement:
        shown["asserts"] = arrangement["asserts"]
    return shown


def tools_of(arrangement: Arrangement | None) -> frozenset[str]:
    return frozenset((arrangement or {}).get("tools", ()))


def has_task_bar(arrangement: Arrangement | None) -> bool:
    return bool((arrangement or {}).get("task_bar", True))
