"""What a look adds to the moves of a task of the booking site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.presentation import Look
from gymsite.arena.sites import notices

FORMS = 3
"""Every task searches once at most and filters twice; what its wording lists, it searches for or prices."""
LISTED = re.compile(r"^- |\(\d\) ", re.MULTILINE)


def more_moves(payload: Mapping[str, Any], look: Look) -> int:
    """Closing each pop-up once, and opening the dialog of each form.

    Loading more of a list, or going to its end, is one move as turning its page is.
    """
    opening = FORMS + len(LISTED.findall(payload["text"])) if look.form == "dialog" else 0
    return len(notices.schedule(look)) + opening
