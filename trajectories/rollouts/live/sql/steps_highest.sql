SELECT w.id, w.run_id, coalesce((SELECT max(index) FROM trajectories_step WHERE episode_id = w.id), 0)
FROM ({watched}) w
