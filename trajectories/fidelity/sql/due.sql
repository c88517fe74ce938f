SELECT e.finished_at, e.id FROM trajectories_episode e
LEFT JOIN trajectories_episodefidelity f ON f.episode_id = e.id
WHERE e.finished_at >= %(since)s AND e.finished_at < now() - make_interval(secs => %(settle)s)
    AND e.recording = 'full' AND (f.episode_id IS NULL OR f.version < %(version)s
        OR f.chosen_at < e.finished_at + make_interval(secs => %(settle)s))
ORDER BY e.finished_at, e.id LIMIT %(limit)s
