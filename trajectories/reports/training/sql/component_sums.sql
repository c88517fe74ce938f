-- Components of rewards of some policy versions of a run, by arm and stage (the tag stage:N of a task, 0 without one),
-- with the sums of version_sums.sql for each measure: {of_episode} has the measures of a judged episode, {of_task} makes
-- n and s of a task, {of_stage} the six sums. Of each source what it said last counts. A term counts from where it pays
-- least (`start`) to where it pays most (`start + span`).
WITH terms AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(terms)s::json) AS t(component text, start float8, span float8, weight float8)
), tasks AS (
    SELECT g.arm, g.policy_version, g.task_id, {of_task}
    FROM trajectories_group g
    JOIN trajectories_episode e ON e.group_id = g.id
    JOIN trajectories_verdict v ON v.id = e.verdict_id
    CROSS JOIN LATERAL (
        SELECT {of_episode}, sum(t.weight * least(1, greatest(0,
            ((c.values->>t.component)::float8 - t.start) / t.span))) / sum(t.weight) AS shaping
        FROM (SELECT DISTINCT ON (r.kind, r.name) c.values
            FROM trajectories_rewardcomponents c JOIN trajectories_rewardsource r ON r.id = c.source_id
            WHERE c.episode_id = e.id ORDER BY r.kind, r.name, c.computed_at DESC) c
        LEFT JOIN terms t ON (c.values->>t.component) IS NOT NULL) a
    WHERE g.run_id = %(run)s AND g.policy_version = ANY(%(versions)s) AND e.is_plain AND v.outcome <> 'void'
        AND (%(splits)s::text[] = '{}'
            OR g.task_id IN (SELECT t.id FROM tasks_app_task t WHERE t.split = ANY(%(splits)s::text[])))
    GROUP BY 1, 2, 3
), staged AS (
    SELECT coalesce((SELECT min(substr(tag, length(%(mark)s) + 1)::int) FROM unnest(t.tags) tag
        WHERE starts_with(tag, %(mark)s) AND tag ~ ':[1-9][0-9]{0,3}$'), 0) AS stage, tasks.*
    FROM tasks JOIN tasks_app_task t ON t.id = tasks.task_id
)
SELECT arm, policy_version, ARRAY[stage, {of_stage}]::float8[] FROM staged
GROUP BY arm, policy_version, stage ORDER BY arm, policy_version, stage
