-- The columns of a claim, for episodes that have a verdict; nothing is claimed.
SELECT e.id, v.outcome, v.verifier, v.gold_version, {columns}
FROM trajectories_submission s
JOIN trajectories_episode e ON e.id = s.episode_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE e.id > %(after)s AND (%(benchmark)s::text IS NULL OR t.benchmark_id = %(benchmark)s) AND {as_shown}
ORDER BY e.id LIMIT %(page)s
