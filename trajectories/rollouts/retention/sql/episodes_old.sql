-- Ended long ago, in the order of their end.
SELECT e.finished_at, e.id FROM trajectories_episode e
WHERE (e.finished_at, e.id) > (%(since)s, %(after)s) AND e.finished_at < now() - make_interval(days => %(days)s)
    AND NOT EXISTS (SELECT FROM trajectories_pruning p WHERE p.episode_id = e.id AND p.{column} IS NOT NULL)
ORDER BY e.finished_at, e.id LIMIT %(limit)s
