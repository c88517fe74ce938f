-- Steps with a thought.
SELECT s.episode_id, s.index AS step, NULL::bigint AS other_episode_id, NULL::int AS other_step,
       {stratum} AS stratum, char_length(s.thought) AS length
FROM trajectories_step s
JOIN trajectories_episode e ON e.id = s.episode_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE s.episode_id = ANY(%(episodes)s::bigint[]) AND s.thought ~ '\S'
