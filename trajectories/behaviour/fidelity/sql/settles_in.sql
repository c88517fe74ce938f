SELECT extract(epoch FROM e.finished_at - now()) + %(settle)s
FROM trajectories_episode e WHERE e.id = %(id)s
