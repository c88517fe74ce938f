"""What an episode on a mock site left behind: its events folded over the world of its task."""

from __future__ import annotations

from typing import Any

import msgspec
from django.conf import settings

from tasks_app.worlds.registry import state_plain
from trajectories.hot_sql import hot_cursor

# An episode's answer ends it: nothing that was stored after it counts.
_HISTORY = """
SELECT t.payload::text, coalesce((
    SELECT json_agg(json_build_array(v.kind, v.data) ORDER BY v.seq) FROM trajectories_siteevent v
    WHERE v.episode_id = e.id AND v.seq < coalesce((
        SELECT min(a.seq) FROM trajectories_siteevent a
        WHERE a.episode_id = e.id AND a.kind = 'answer_recorded'), 2147483647)), '[]')::text
FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id WHERE e.id = %(episode)s"""


def state_of(*, episode_id: int) -> dict[str, Any]:
    """The folded state as JSON. ``ValueError`` when the task was made with another world salt."""
    with hot_cursor() as cursor:
        cursor.execute(_HISTORY, {"episode": episode_id})
        payload, events = cursor.fetchone() or ("{}", "[]")
    history = [(kind, data) for kind, data in msgspec.json.decode(events)]
    return state_plain(msgspec.json.decode(payload), history, salt=settings.WORLD_SALT)
