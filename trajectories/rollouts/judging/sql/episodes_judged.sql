SELECT e.run_id, e.id FROM trajectories_submission s JOIN trajectories_episode e ON e.id = s.episode_id
WHERE s.episode_id = ANY(%(episodes)s) AND s.judged_at IS NOT NULL
