SELECT id, run_id FROM trajectories_episode WHERE id = ANY(%(episodes)s::bigint[])
UNION SELECT id, run_id FROM trajectories_episode WHERE run_id = ANY(%(runs)s::bigint[])
    AND (verdict_id IS NULL OR finished_at > now() - interval '{ended_watch_s} s')
