-- Of one run, by arm and policy version: for each measure the number of tasks and, over their counts n and sums s, the
-- sums of n, s, n*n, n*s and s*s. {of_task} makes n and s of a task, {of_version} the five sums.
-- Guided episodes are not the policy's own work, and cancelled or unused ones are nobody's.
WITH tasks AS (
    SELECT e.arm, e.policy_version, e.task_id, count(*) AS ended, {of_task}
    FROM trajectories_episode e
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    LEFT JOIN trajectories_episodefacts a ON a.episode_id = e.id
    WHERE e.run_id = %(run)s AND e.guidance IS NULL AND e.policy_version IS NOT NULL
        AND v.reason <> ALL(%(nobodys)s)
        AND (%(splits)s::text[] = '{}'
            OR e.task_id IN (SELECT t.id FROM tasks_app_task t WHERE t.split = ANY(%(splits)s::text[])))
    GROUP BY 1, 2, 3
)
SELECT arm, policy_version, sum(ended)::bigint, {of_version} FROM tasks GROUP BY 1, 2 ORDER BY 1, 2
