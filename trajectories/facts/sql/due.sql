SELECT e.finished_at, e.id FROM trajectories_episode e
LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE e.finished_at >= %(since)s AND e.finished_at < now() - make_interval(secs => %(settle)s)
    AND e.id <> ALL(%(without)s) AND {is_late}
ORDER BY e.finished_at, e.id LIMIT %(limit)s
