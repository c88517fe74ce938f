-- One claim at a time; it counts as lost after `lost` seconds, or when the sweeper sees that its worker died. It need not be on disk
-- before the work begins: a claim lost in a crash is simply made again.
WITH asynchronous AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE trajectories_submission s SET claimed_at = clock_timestamp(), claims = s.claims + 1, claimed_by = %(worker)s::int
FROM asynchronous, trajectories_episode e
JOIN trajectories_run r ON r.id = e.run_id
JOIN tasks_app_task t ON t.id = e.task_id
JOIN tasks_app_benchmark b ON b.id = t.benchmark_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE s.episode_id = %(episode)s AND e.id = s.episode_id AND s.judged_at IS NULL AND e.status = 'submitted'
    AND s.claims < %(claims_max)s
    AND (s.claimed_at IS NULL OR s.claimed_at < clock_timestamp() - %(lost)s * interval '1 s')
RETURNING {columns}
