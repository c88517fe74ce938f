-- Groups of the sampler's tasks that completed between two places of the run's verdict stream, and how many of them
-- teach nothing.
SELECT count(*), count(*) FILTER (WHERE rewards < 2) FROM (
    SELECT g.id, count(DISTINCT v.reward) AS rewards
    FROM trajectories_group g
    JOIN trajectories_samplertask t ON t.sampler_id = %(sampler)s AND t.task_id = g.task_id
    JOIN trajectories_episode e ON e.group_id = g.id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE g.run_id = %(run)s AND g.completed_seq > %(after)s AND g.completed_seq <= %(upto)s
    GROUP BY g.id) complete
