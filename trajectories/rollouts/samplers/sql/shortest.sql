-- The shortest prefix, or start state, with a success in a run, of these tasks: as runs/{id}/prefixes has it
-- (episodes/prefixes.py).
SELECT e.task_id, min((e.guidance->>'steps')::int)
FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.run_id = %(run)s AND e.task_id = ANY(%(tasks)s::bigint[]) AND v.outcome = 'correct'
    AND e.guidance->>'kind' = %(kind)s AND e.guidance ? 'steps' AND NOT e.is_taken_over
    AND e.parent_id IS NOT DISTINCT FROM
        CASE WHEN e.guidance->>'kind' = 'start_state' THEN (e.guidance->>'episode')::bigint END
GROUP BY 1
