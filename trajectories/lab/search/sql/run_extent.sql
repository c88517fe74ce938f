SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM trajectories_episode WHERE run_id = %(run)s
