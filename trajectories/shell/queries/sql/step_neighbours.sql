SELECT (SELECT s.index FROM trajectories_step s WHERE s.episode_id = %(episode)s AND s.index < %(index)s
        ORDER BY s.index DESC LIMIT 1),
    (SELECT s.index FROM trajectories_step s WHERE s.episode_id = %(episode)s AND s.index > %(index)s
        ORDER BY s.index LIMIT 1)
