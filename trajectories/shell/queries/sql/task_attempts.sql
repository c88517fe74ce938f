-- Judged and all episodes of some tasks, by arm; guided episodes are counted but never rated.
SELECT e.task_id, e.arm, count(*),
    count(*) FILTER (WHERE v.outcome = 'correct' AND e.is_plain),
    count(*) FILTER (WHERE v.outcome IN ('correct', 'incorrect') AND e.is_plain)
FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.task_id = ANY(%(tasks)s::bigint[]) GROUP BY 1, 2
