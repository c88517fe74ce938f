-- Ended trajectories that have steps; their length is the number of the last one.
SELECT e.id AS episode_id, 0 AS step, NULL::bigint AS other_episode_id, NULL::int AS other_step,
       {stratum} AS stratum, s.last AS length
FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id
JOIN LATERAL (SELECT max(index) AS last FROM trajectories_step WHERE episode_id = e.id) s ON s.last IS NOT NULL
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE e.id = ANY(%(episodes)s::bigint[]) AND e.status <> 'open'
