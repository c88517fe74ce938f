-- Where the run's verdict stream stands, its newest policy version, and of the groups of the sampler's tasks that
-- completed since its last draw how many there are, in how many outcomes are equal (degenerate, as in
-- groups_after.sql) and in how many they differ; the rest have fewer than two judged samples. Only plain episodes
-- count. OFFSET 0 keeps the planner from reading all tasks of a sampler, of which it has no statistics yet.
WITH counter AS MATERIALIZED (
    SELECT count AS position FROM trajectories_verdictcounter WHERE run_id = %(run)s
), complete AS MATERIALIZED (
    SELECT id, task_id FROM trajectories_group
    WHERE run_id = %(run)s AND completed_seq > %(after)s AND completed_seq <= (SELECT position FROM counter)
), judged AS (
    SELECT g.id, count(*) FILTER (WHERE v.outcome <> 'void') AS samples,
        count(DISTINCT v.outcome) FILTER (WHERE v.outcome <> 'void') AS outcomes
    FROM complete g
    CROSS JOIN LATERAL (
        SELECT FROM trajectories_samplertask WHERE sampler_id = %(sampler)s AND task_id = g.task_id OFFSET 0) t
    JOIN trajectories_episode e ON e.group_id = g.id AND e.is_plain
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    GROUP BY g.id
)
SELECT (SELECT position FROM counter),
    (SELECT max(version) FROM trajectories_policyversion WHERE run_id = %(run)s),
    (SELECT count(*) FROM judged),
    (SELECT count(*) FROM judged WHERE samples > 1 AND outcomes = 1),
    (SELECT count(*) FROM judged WHERE outcomes > 1)
