SELECT outcome, reason, sum(episodes)::bigint FROM trajectories_endingsum
WHERE run_id = %(run)s AND episodes > 0 GROUP BY outcome, reason ORDER BY 3 DESC, outcome, reason
