-- Of each item of a benchmark in each arm of a report: episodes whose thoughts are all known and the sum of their words; episodes
-- with a known thought and the sum of their mean words per step; episodes with a hidden thought; and episodes
-- without facts. Void episodes say nothing about the model, and guided ones are not its own work.
SELECT e.arm, r.settings->'retest' IS NOT DISTINCT FROM 'true', r.observation, e.task_id,
       count(f.thought_words) FILTER (WHERE f.hidden_thoughts = 0),
       coalesce(sum(f.thought_words * f.steps) FILTER (WHERE f.hidden_thoughts = 0), 0)::float8,
       count(f.thought_words), coalesce(sum(f.thought_words), 0)::float8,
       count(*) FILTER (WHERE f.hidden_thoughts > 0), count(*) FILTER (WHERE f.episode_id IS NULL)
FROM trajectories_run r
JOIN trajectories_episode e ON e.run_id = r.id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE r.id = ANY(%(runs)s) AND t.benchmark_id = %(benchmark)s AND e.is_plain AND v.outcome <> 'void'
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
