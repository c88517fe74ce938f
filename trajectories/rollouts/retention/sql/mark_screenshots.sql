INSERT INTO trajectories_pruning AS p (episode_id, screenshots_at)
SELECT DISTINCT episode_id, now() FROM trajectories_step WHERE episode_id = ANY(%(ids)s) AND screenshot <> ''
ON CONFLICT (episode_id) DO UPDATE SET screenshots_at = excluded.screenshots_at
WHERE p.screenshots_at IS NULL
