SELECT r.id FROM trajectories_run r
WHERE r.created_at < now() - make_interval(days => %(days)s) AND NOT EXISTS (
    SELECT FROM trajectories_episode e WHERE e.run_id = r.id
        AND (e.verdict_id IS NULL OR e.finished_at > now() - make_interval(days => %(days)s)))
ORDER BY r.id
