-- The episode of the first argument, if its answer is judged by running it.
(SELECT e.id FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE e.id = $1 AND {sandboxed} AND NOT {is_probe})
