SELECT {acts} FROM trajectories_episode e WHERE e.id = %(episode)s
