-- Groups of the sampler's tasks that completed between two places of the run's verdict stream, and how many of them
-- teach nothing. OFFSET 0 keeps the planner from reading all tasks of a sampler, of which it has no statistics yet.
WITH complete AS MATERIALIZED (
    SELECT id, task_id FROM trajectories_group
    WHERE run_id = %(run)s AND completed_seq > %(after)s AND completed_seq <= %(upto)s
)
SELECT count(*), count(*) FILTER (WHERE rewards < 2) FROM (
    SELECT g.id, count(DISTINCT v.reward) AS rewards
    FROM complete g
    CROSS JOIN LATERAL (
        SELECT FROM trajectories_samplertask WHERE sampler_id = %(sampler)s AND task_id = g.task_id OFFSET 0) t
    JOIN trajectories_episode e ON e.group_id = g.id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    GROUP BY g.id) teaching
