-- Every episode that has ended has one place in the verdict stream; the others are at most ACTIVE_EPISODES_MAX.
SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0),
    count(*) FILTER (WHERE e.status = 'open'), count(*) FILTER (WHERE e.status = 'submitted')
FROM {unfinished} AND g.run_id = %(run)s
