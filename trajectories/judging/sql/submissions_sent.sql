UPDATE trajectories_submission SET sent_at = clock_timestamp(), sends = sends + 1
WHERE episode_id = ANY(%(episodes)s)
