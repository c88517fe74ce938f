-- Of the endings in the second argument those whose submission is claimed and judged by running it.
(SELECT json_agg(given) FROM json_array_elements($2::json) given
JOIN trajectories_episode e ON e.id = (given->>'episode')::bigint
JOIN trajectories_submission s ON s.episode_id = e.id AND s.claimed_at IS NOT NULL AND s.judged_at IS NULL
JOIN tasks_app_task t ON t.id = e.task_id JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE {sandboxed} AND NOT {is_probe})
