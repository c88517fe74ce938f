SELECT e.run_id, s.episode_id
FROM trajectories_submission s JOIN trajectories_episode e ON e.id = s.episode_id
WHERE s.judged_at IS NULL AND e.status = 'submitted' AND s.claims >= %(claims_max)s
    AND s.claimed_at < clock_timestamp() - %(lost)s * interval '1 s'
ORDER BY s.episode_id LIMIT %(batch)s
