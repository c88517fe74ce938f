-- All that a rebuild computes. Sums of nothing are as good as absent.
SELECT 'ending', (arm, policy_version, is_plain, outcome, reason, episodes)::text
FROM trajectories_endingsum WHERE run_id = %(run)s AND episodes <> 0
UNION ALL SELECT 'task', s::text FROM trajectories_tasksum s WHERE run_id = %(run)s AND judged <> 0
UNION ALL SELECT 'rate', s::text FROM trajectories_ratesum s WHERE run_id = %(run)s AND judged <> 0
UNION ALL SELECT 'group', (id, size, ended, completed_seq)::text FROM trajectories_group WHERE run_id = %(run)s
