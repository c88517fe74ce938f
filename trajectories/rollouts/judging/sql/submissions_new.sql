SELECT episode_id FROM trajectories_submission WHERE judged_at IS NULL AND sent_at IS NULL
ORDER BY episode_id LIMIT %(batch)s
