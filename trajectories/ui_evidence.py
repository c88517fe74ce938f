"""Whether a change on the server has evidence on a page: a click, input, key or submit near it.

The rule, for site events that change something or record the answer: evidence is an act that a page reported
in the same step, or that arrived within ``WITHIN_S`` seconds of the change, before or after (a page sends its
last events while it is being left). Without evidence the form was not sent from a page with its recorder, but
by a harness that posts forms itself, or by a browser without JavaScript, whose pages report nothing. The
answer is unknown when nothing was recorded, and after the episode reached its cap on page events.
"""

from __future__ import annotations

from typing import Any

from core.sql import sql_read
from tasks_app.worlds.evidence import ANSWER_RECORDED
from tasks_app.worlds.registry import worlds
from trajectories.actions.types import ACT_KINDS

WITHIN_S = 5
CAPPED = "capped"

ACTED = sql_read(__file__, "acted", capped=CAPPED)
IS_WITHOUT = sql_read(__file__, "is_without_evidence")


def parameters(*, has_answer: bool) -> dict[str, Any]:
    """The parameters of both; ``has_answer`` includes the recording of the answer.

    Judging leaves it out: the page's last events may arrive later.
    """
    kinds = {kind for _, plugin in worlds.items() for kind in plugin.changes}
    return {
        "changes": sorted(kinds | {ANSWER_RECORDED} if has_answer else kinds),
        "acts": list(ACT_KINDS),
        "within": WITHIN_S,
    }
