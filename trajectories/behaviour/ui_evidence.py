"""UI evidence: whether a change on the server was accompanied by a click, input, key or submit on a page.

The rule applies to site events that change something or record the answer. There is evidence if the server
has served a page before, and a page claims an act in the same step or in a report that arrived within
``WITHIN_S`` seconds of the change (a page sends its last events while it is being left). Clicks made by a
page's own scripts do not count.

If there is no evidence, the form was sent by a harness that posts forms, or by a browser without JavaScript,
whose pages report nothing. That a page was served is the server's own record, but an act is a mere claim,
which scripts in a page can forge; evidence therefore proves nothing by itself. The result is unknown if
nothing was recorded, and for changes after the episode reached its cap on page events.
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
    """Return the parameters of both SQL fragments.

    If ``has_answer`` is true, an answer counts as one of the changes. Judging passes False, because the
    page's last events may arrive after the verdict.
    """
    kinds = {kind for _, plugin in worlds.items() for kind in plugin.changes}
    return {
        "changes": sorted(kinds | {ANSWER_RECORDED} if has_answer else kinds),
        "acts": list(ACT_KINDS),
        "within": WITHIN_S,
    }
