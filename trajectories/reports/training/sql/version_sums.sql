-- Of some policy versions of a run, by arm: the row that keeps their sums, how many changes these sums include, and the
-- sums: episodes that ended and, for each measure, the number of tasks and, over their counts n and sums s, the sums of
-- n, s, n*n, n*s and s*s. {of_group} makes n and s of a group, {of_task} of a task, {of_version} the six sums.
-- Guided episodes are not the policy's own work, and cancelled or unused ones are nobody's.
WITH groups AS (
    SELECT e.group_id, count(v.id)::float8 AS ended, {of_group}
    FROM trajectories_group g
    JOIN trajectories_episode e ON e.group_id = g.id
    LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.reason <> ALL(%(nobodys)s)
    LEFT JOIN trajectories_episodefacts a ON a.episode_id = v.episode_id
    WHERE g.run_id = %(run)s AND g.policy_version = ANY(%(versions)s) AND e.is_plain
        AND (%(splits)s::text[] = '{}'
            OR g.task_id IN (SELECT t.id FROM tasks_app_task t WHERE t.split = ANY(%(splits)s::text[])))
    GROUP BY e.group_id
), tasks AS (
    SELECT g.arm, g.policy_version, g.task_id, sum(groups.ended) AS ended, {of_task}
    FROM groups JOIN trajectories_group g ON g.id = groups.group_id GROUP BY 1, 2, 3 HAVING sum(groups.ended) > 0
), versions AS (
    SELECT arm, policy_version, ARRAY[sum(ended), {of_version}]::float8[] AS sums FROM tasks GROUP BY 1, 2
)
SELECT s.id, s.arm, s.policy_version, s.changes, v.sums
FROM versions v
JOIN trajectories_versionsum s
    ON s.run_id = %(run)s AND s.arm = v.arm AND s.policy_version = v.policy_version
