-- The looks of a report's pages: each hash with what it stands for.
SELECT DISTINCT ON (e.presentation_hash) e.presentation_hash, e.presentation::text
FROM trajectories_episode e JOIN tasks_app_task t ON t.id = e.task_id
WHERE e.run_id = ANY(%(runs)s) AND e.arm = ANY(%(paged)s) AND t.benchmark_id = %(benchmark)s
ORDER BY e.presentation_hash, e.id
