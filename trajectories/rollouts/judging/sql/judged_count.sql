SELECT count(*) FILTER (WHERE {as_shown}), count(*) FILTER (WHERE NOT {as_shown})
FROM trajectories_submission s JOIN trajectories_episode e ON e.id = s.episode_id
JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.verdict_id IS NOT NULL
    AND (%(benchmark)s::text IS NULL OR t.benchmark_id = %(benchmark)s)
