"""The result codes of actions, which a harness reports after it tried to perform an action."""

from __future__ import annotations

import re
from typing import Literal

ActionResult = Literal["ok", "no_target", "refused", "timeout", "invalid"]
UNDONE: frozenset[ActionResult] = frozenset({"no_target", "refused", "invalid"})
"""The results after which the page cannot have changed."""
CARRIED_OUT = re.compile(r"(\d+) of \d+ actions were carried out")
"""The beginning of the message about a sequence that was interrupted."""


def carried_out(done: int, count: int) -> str:
    """Return the beginning of the message about an interrupted sequence, which ``CARRIED_OUT`` matches."""
    return f"{done} of {count} actions were carried out. "
