"""Step numbers that requests name. Scripts can name any, so one that the episode cannot have is ignored.

Lower numbers cannot be refused: a harness may post its steps late, and a page reports while it is being left.
"""

from __future__ import annotations

# A person's steps cost the agent no budget, and are numbered with its own.
MAX = "e.max_steps + e.person_steps"


def bounded(*numbers: str) -> str:
    """Write SQL for the first of these numbers that is a step of episode ``e``, null if none is."""
    believed = (f"CASE WHEN {number} BETWEEN 1 AND {MAX} THEN {number} END" for number in numbers)
    return f"coalesce({', '.join(believed)}, NULL)"


# The request's header, bound as ``step``.
REQUESTED = bounded("%(step)s::int")
