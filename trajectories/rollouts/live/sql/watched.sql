SELECT id, run_id FROM trajectories_episode WHERE id = ANY(%(episodes)s::bigint[])
UNION SELECT e.id, e.run_id FROM {unfinished} AND g.run_id = ANY(%(runs)s::bigint[])
UNION SELECT episode_id, run_id FROM trajectories_verdict
    WHERE run_id = ANY(%(runs)s::bigint[]) AND run_seq IS NOT NULL
        AND created_at > now() - interval '{ended_watch_s} s'
