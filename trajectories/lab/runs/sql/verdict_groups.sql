SELECT e.arm, e.policy_version, e.task_id, v.outcome, v.reason, e.guidance IS NOT NULL,
    floor(extract(epoch FROM s.created_at))::bigint, count(*)
FROM trajectories_verdict s JOIN trajectories_episode e ON e.id = s.episode_id
JOIN trajectories_verdict v ON v.id = e.verdict_id
WHERE s.run_id = %(run)s AND s.run_seq > %(after)s AND s.run_seq <= %(upto)s
GROUP BY 1, 2, 3, 4, 5, 6, 7
