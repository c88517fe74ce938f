UPDATE trajectories_fidelity SET state = %(failed)s, reason = %(crashed)s
WHERE reason = %(waiting)s AND tries >= %(tries)s
    AND checked_at < now() - make_interval(secs => %(under_way)s)
