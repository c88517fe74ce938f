SELECT count(*) FROM trajectories_episode e WHERE e.run_id = %(run)s
    AND (e.verdict_id IS NULL OR e.finished_at > now() - make_interval(secs => %(settled)s))
