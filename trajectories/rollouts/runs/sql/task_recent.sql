-- How the newest judged plain episodes of each task ended, at most `recent` of each; probes do not count.
SELECT task_id, count(*), avg((outcome = 'correct')::int::float8) FROM (
    SELECT e.task_id, v.outcome,
        row_number() OVER (PARTITION BY e.task_id ORDER BY e.finished_at DESC, e.id DESC) AS age
    FROM trajectories_episode e
    JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome <> 'void'
    WHERE e.run_id = %(run)s AND e.task_id = ANY(%(tasks)s::bigint[])
        AND e.is_plain AND e.arm <> ALL(%(probes)s::text[])) newest
WHERE age <= %(recent)s GROUP BY task_id
