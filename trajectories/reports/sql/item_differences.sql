-- Items that both arms have judged and that differ: the items' means, and an episode of each arm to compare.
-- Parameters: of each arm its id and the runs that played it.
WITH judged AS (
    SELECT e.task_id, v.outcome = 'correct' AS is_correct, e.id,
           e.arm = %(arm_a)s AND e.run_id = ANY(%(runs_a)s) AS is_a
    FROM trajectories_episode e
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    JOIN tasks_app_task t ON t.id = e.task_id
    WHERE t.benchmark_id = %(benchmark)s AND e.is_plain AND v.outcome <> 'void'
        AND (t.gap_eligible OR t.kind = 'site')
        AND ((e.arm = %(arm_a)s AND e.run_id = ANY(%(runs_a)s)) OR (e.arm = %(arm_b)s AND e.run_id = ANY(%(runs_b)s)))),
means AS (
    SELECT task_id,
           avg(is_correct::int) FILTER (WHERE is_a) AS mean_a, count(*) FILTER (WHERE is_a) AS samples_a,
           avg(is_correct::int) FILTER (WHERE NOT is_a) AS mean_b, count(*) FILTER (WHERE NOT is_a) AS samples_b,
           min(id) FILTER (WHERE is_a AND is_correct) AS right_a, min(id) FILTER (WHERE is_a AND NOT is_correct) AS wrong_a,
           min(id) FILTER (WHERE NOT is_a AND is_correct) AS right_b,
           min(id) FILTER (WHERE NOT is_a AND NOT is_correct) AS wrong_b
    FROM judged GROUP BY task_id)
SELECT m.task_id, t.key, left(t.prompt, 300), m.mean_a::float8, m.samples_a, m.mean_b::float8, m.samples_b,
       CASE WHEN m.mean_a > m.mean_b THEN m.right_a ELSE m.wrong_a END,
       CASE WHEN m.mean_a > m.mean_b THEN m.wrong_b ELSE m.right_b END,
       count(*) OVER ()
FROM means m JOIN tasks_app_task t ON t.id = m.task_id
WHERE CASE WHEN %(is_b_better)s THEN m.mean_b > m.mean_a ELSE m.mean_a > m.mean_b END
ORDER BY abs(m.mean_a - m.mean_b) DESC, m.task_id
LIMIT %(limit)s
