-- The run's ended episodes by policy version and reason.
SELECT run_id, policy_version, CASE outcome WHEN 'void' THEN reason ELSE '' END, sum(episodes)::bigint
FROM trajectories_endingsum WHERE run_id = %(run)s AND episodes > 0
GROUP BY 1, 2, 3
