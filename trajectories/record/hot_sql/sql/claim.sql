-- Claims a submission, one at a time, with everything that judging needs. A claim is lost after `lost` seconds, or once
-- the sweeper sees that its worker died. The commit need not reach the disk before the work begins (asynchronous
-- commit): a claim lost in a crash is simply made again.
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
