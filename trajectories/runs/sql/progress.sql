-- Every episode that has ended has one place in the verdict stream; the others are at most ACTIVE_EPISODES_MAX.
SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0),
    count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'submitted')
FROM trajectories_episode WHERE run_id = %(run)s AND verdict_id IS NULL
