"""Episodes and verdicts as API records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from trajectories.hot_sql.cursor import hot_cursor

VERDICT_JSON = """
    json_build_object('outcome', v.outcome, 'reward', v.reward, 'reason', v.reason,
        'terminated', v.terminated, 'truncated', v.truncated, 'score', v.score, 'metrics', v.metrics,
        'verifier', nullif(v.verifier, ''), 'official', v.official, 'latency_ms', v.latency_ms)"""

# Parameter: ids. Rows: (id, is_finished, record as JSON text).
EPISODE_STATES = f"""
SELECT e.id, e.status = 'finished', json_build_object(
    'id', e.id, 'run', e.run_id, 'group', e.group_id, 'task', e.task_id, 'arm', e.arm,
    'sample_index', e.sample_index, 'policy_version', e.policy_version, 'status', e.status,
    'steps_used', coalesce((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id), 0),
    'max_steps', e.max_steps, 'opened_at', e.opened_at, 'finished_at', e.finished_at,
    'terminated', coalesce(v.terminated, false), 'truncated', coalesce(v.truncated, false),
    'verdict', CASE WHEN v.id IS NOT NULL THEN {VERDICT_JSON} END)::text
FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.id = ANY(%s)"""  # noqa: S608 (the parts are constants of this module)

# Parameters: run, after, limit. Rows: (run_seq, record as JSON text), in the order of commits.
VERDICTS_AFTER = f"""
SELECT v.run_seq,
    json_build_object('episode', v.episode_id, 'group', e.group_id, 'verdict', {VERDICT_JSON})::text
FROM trajectories_verdict v JOIN trajectories_episode e ON e.id = v.episode_id
WHERE v.run_id = %s AND v.run_seq > %s ORDER BY v.run_seq LIMIT %s"""  # noqa: S608


def episode_states(ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """API records of episodes, by id."""
    with hot_cursor() as cursor:
        cursor.execute(EPISODE_STATES, [list(ids)])
        return {row[0]: msgspec.json.decode(row[2]) for row in cursor.fetchall()}
