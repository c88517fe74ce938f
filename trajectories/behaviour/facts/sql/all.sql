SELECT e.id FROM trajectories_episode e LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
WHERE e.id > %(after)s AND e.finished_at IS NOT NULL AND (%(run)s::bigint IS NULL OR e.run_id = %(run)s)
    AND (%(again)s OR {is_late})
ORDER BY e.id LIMIT %(limit)s
