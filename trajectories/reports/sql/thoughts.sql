-- Of each item in each arm of a report: episodes whose thoughts are known, and the sum of their mean words.
-- Void episodes say nothing about the model, and guided ones are not its own work.
SELECT t.benchmark_id, e.arm, r.settings->'retest' IS NOT DISTINCT FROM 'true', r.observation, e.task_id,
       count(f.thought_words), coalesce(sum(f.thought_words), 0)::float8
FROM trajectories_run r
JOIN trajectories_episode e ON e.run_id = r.id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE r.id = ANY(%(runs)s) AND e.guidance IS NULL AND v.outcome <> 'void'
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
