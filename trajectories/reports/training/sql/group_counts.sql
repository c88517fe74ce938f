-- Of one run and arm, its groups by policy version and by epoch: a task's n-th group belongs to epoch n. A group is
-- degenerate, all right or all wrong, if two or more of its samples were judged and all alike.
-- Rows: version or null, epoch or null, groups, tasks, groups of tasks seen before, groups with two or more judged
-- samples, of these all right, all wrong.
WITH judged AS (
    SELECT g.id, g.task_id, g.policy_version, count(*) FILTER (WHERE v.outcome <> 'void') AS judged,
        count(*) FILTER (WHERE v.outcome = 'correct') AS correct
    FROM trajectories_group g
    JOIN trajectories_episode e ON e.group_id = g.id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE g.run_id = %(run)s AND g.arm = %(arm)s AND e.is_plain
        AND (%(splits)s::text[] = '{}'
            OR g.task_id IN (SELECT t.id FROM tasks_app_task t WHERE t.split = ANY(%(splits)s::text[])))
    GROUP BY g.id
), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY task_id ORDER BY id) AS epoch FROM judged
)
SELECT policy_version, epoch, count(*), count(DISTINCT task_id), count(*) FILTER (WHERE epoch > 1),
    count(*) FILTER (WHERE judged > 1), count(*) FILTER (WHERE judged > 1 AND correct = judged),
    count(*) FILTER (WHERE judged > 1 AND correct = 0)
FROM numbered
GROUP BY GROUPING SETS ((policy_version), (epoch))
HAVING policy_version IS NOT NULL OR epoch IS NOT NULL
ORDER BY policy_version, epoch
