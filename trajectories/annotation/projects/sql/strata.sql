-- Steps by stratum: with a thought, with a hidden one, and with none.
SELECT {stratum} AS stratum,
       count(*) FILTER (WHERE s.thought ~ '\S'),
       count(*) FILTER (WHERE s.thought !~ '\S' AND coalesce((s.more->>'thought_hidden')::boolean, false)),
       count(*) FILTER (WHERE s.thought !~ '\S' AND NOT coalesce((s.more->>'thought_hidden')::boolean, false))
FROM trajectories_step s
JOIN trajectories_episode e ON e.id = s.episode_id
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE s.episode_id = ANY(%(episodes)s::bigint[])
GROUP BY 1
ORDER BY 1
