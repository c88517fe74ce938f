"""What a look adds to the moves of a task of the shop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.presentation import Look
from gymsite.arena.sites import notices

SEARCHES = 2
"""A term whose forms do not all hold it is searched for twice."""
RIVALS = 5
COMPARING = ("Product", "How many more")
"""The fields of the tasks about five products."""


def more_moves(payload: Mapping[str, Any], look: Look) -> int:
    """Closing each pop-up once, and opening the dialog before each search.

    Loading more of a list, or scrolling to its end, is one move as turning its page is.
    """
    products = RIVALS if tuple(payload["fields"]) == COMPARING else 1
    opening = SEARCHES * products if look.form == "dialog" else 0
    return len(notices.schedule(look)) + opening
