"""The result codes of actions: what a harness reports after it tried to perform one."""

from __future__ import annotations

import re
from typing import Literal

ActionResult = Literal["ok", "no_target", "refused", "timeout", "invalid"]
UNDONE: frozenset[ActionResult] = frozenset({"no_target", "refused", "invalid"})
"""Results after which the page cannot have changed."""
CARRIED_OUT = re.compile(r"(\d+) of \d+ actions were carried out")
"""The beginning of the message of a sequence that did not come to its end."""


def carried_out(done: int, count: int) -> str:
    """Write the beginning that ``CARRIED_OUT`` matches."""
    return f"{done} of {count} actions were carried out. "
