"""Whether a change on the server has evidence on a page: a click, input, key or submit near it.

The rule, for site events that change something or record the answer: evidence is an act that a page reported
in the same step, or that arrived within ``WITHIN_S`` seconds of the change, before or after (a page sends its
last events while it is being left). Without evidence the form was not sent from a page with its recorder, but
by a harness that posts forms itself, or by a browser without JavaScript, whose pages report nothing. The
answer is unknown when nothing was recorded, and after the episode reached its cap on page events.
"""

from __future__ import annotations

from typing import Any

from tasks_app.worlds.registry import worlds
from trajectories.actions.types import ACT_KINDS

WITHIN_S = 5
CAPPED = "capped"
ANSWERED = "answer_recorded"

# For episode e, placed before a query of its site events: read once, however many changes there are.
ACTED = f"""
    acts AS MATERIALIZED (
        SELECT p.step, p.received_at FROM trajectories_pageevent p
        WHERE p.episode_id = e.id AND p.kind = ANY(%(acts)s)),
    cap AS MATERIALIZED (
        SELECT min(p.received_at) AS at FROM trajectories_pageevent p
        WHERE p.episode_id = e.id AND p.kind = '{CAPPED}')"""  # noqa: S608 (a constant)

# For site event x of episode e: true without evidence, false with it, null if not applicable or unknown.
IS_WITHOUT = """
    CASE WHEN x.kind = ANY(%(changes)s) AND e.recording <> 'off'
        AND x.created_at <= coalesce((SELECT at FROM cap), 'infinity')
    THEN NOT EXISTS (
        SELECT FROM acts
        WHERE acts.step = x.step
            OR abs(extract(epoch FROM acts.received_at - x.created_at)) <= %(within)s)
    END"""


def parameters(*, has_answer: bool) -> dict[str, Any]:
    """The parameters of both; ``has_answer`` includes the recording of the answer.

    Judging leaves it out: the page's last events may arrive later.
    """
    kinds = {kind for _, plugin in worlds.items() for kind in plugin.changes}
    return {
        "changes": sorted(kinds | {ANSWERED} if has_answer else kinds),
        "acts": list(ACT_KINDS),
        "within": WITHIN_S,
    }
