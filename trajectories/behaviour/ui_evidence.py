"""UI evidence: whether a change on the server had a click, input, key or submit on a page near it.

The rule, for site events that change something or record the answer: the server has served a page before, and
a page claims an act in the same step, or in a report that arrived within ``WITHIN_S`` seconds of the change
(a page sends its last events while it is being left). Clicks made by a page's own scripts do not count.

Without evidence the form was not sent from a page with its recorder, but by a harness that posts forms, or by
a browser without JavaScript, whose pages report nothing. That a page was served is the server's own record;
an act is a claim, which scripts in a page can forge, so evidence proves nothing by itself. The answer is
unknown if nothing was recorded, and after the episode reached its cap on page events.
"""

from __future__ import annotations

from typing import Any

from core.database.sql import sql_read
from tasks_app.worlds.evidence import ANSWER_RECORDED, PAGE_SERVED
from tasks_app.worlds.registry import worlds
from trajectories.actions.types import ACT_KINDS, CAPPED

WITHIN_S = 5

ACTED = sql_read(__file__, "acted", capped=CAPPED, page_served=PAGE_SERVED)
IS_WITHOUT = sql_read(__file__, "is_without_evidence")


def parameters(*, has_answer: bool) -> dict[str, Any]:
    """Return the parameters of both; ``has_answer`` includes the recording of the answer.

    Judging leaves it out: the page's last events may arrive later.
    """
    kinds = {kind for _, plugin in worlds.items() for kind in plugin.changes}
    return {
        "changes": sorted(kinds | {ANSWER_RECORDED} if has_answer else kinds),
        "acts": list(ACT_KINDS),
        "within": WITHIN_S,
    }
