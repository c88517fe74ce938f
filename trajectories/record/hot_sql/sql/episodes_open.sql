-- Opens a call's groups and episodes in one round trip. Their ids were reserved before (reserve_ids.sql), so nothing
-- has to be returned and matched up, and json_to_recordset keeps the statement's text the same for any number of them.
WITH new_groups AS (
    INSERT INTO trajectories_group
        (id, run_id, task_id, arm, policy_version, seed, settings, template, examples, size, created_at)
    SELECT g.id, %(run)s, g.task, %(arm)s, %(policy_version)s, g.seed, %(settings)s::jsonb, g.template,
        g.examples, g.size, now()
    FROM json_to_recordset(%(groups)s::json)
        AS g(id bigint, task bigint, seed bigint, template text, examples bigint[], size int)
)
INSERT INTO trajectories_episode ({columns}, run_id, status, opened_at, close_reason, close_detail)
SELECT {episode_values}, {call_values}, %(run)s, 'open', now(), '', ''
FROM json_to_recordset(%(episodes)s::json) AS e({typed_columns})
