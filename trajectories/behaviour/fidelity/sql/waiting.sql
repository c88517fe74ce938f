-- The reasons are literals, as in the partial index: with parameters the planner could not use it.
SELECT f.episode_id, f.index FROM trajectories_fidelity f JOIN trajectories_episode e ON e.id = f.episode_id
WHERE f.reason IN ({left}) AND f.tries < %(tries)s
    AND (f.tries = 0 AND f.reason = '{waiting}'
        OR f.checked_at < now() - make_interval(secs => %(under_way)s))
    AND e.finished_at < now() - make_interval(secs => %(settle)s)
ORDER BY f.tries, f.requested_at DESC NULLS LAST, f.episode_id DESC, f.index LIMIT %(limit)s
