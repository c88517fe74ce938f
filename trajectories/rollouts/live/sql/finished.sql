SELECT id FROM trajectories_episode WHERE id = ANY(%s) AND status = 'finished'
