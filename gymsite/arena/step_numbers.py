"""Checks of step numbers in requests. Scripts can send any number; those the episode cannot have are ignored.

Numbers below the current step are valid, because a harness may post its steps late, and a page still reports
while it is being left.
"""

from __future__ import annotations

# A person's steps do not use up the agent's budget, but share its numbering.
MAX = "e.max_steps + e.person_steps"


def bounded(*numbers: str) -> str:
    """Write SQL for the first of these numbers that is a possible step of episode ``e``, or else null."""
    believed = (f"CASE WHEN {number} BETWEEN 1 AND {MAX} THEN {number} END" for number in numbers)
    return f"coalesce({', '.join(believed)}, NULL)"


# The number in the request's header, bound as ``step``.
REQUESTED = bounded("%(step)s::int")
