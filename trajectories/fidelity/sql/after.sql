-- The page is cut first: a statement that looked for so many due ones could read all of history.
WITH page AS MATERIALIZED (
    SELECT e.finished_at, e.id, e.recording FROM trajectories_episode e
    WHERE (e.finished_at, e.id) > (%(since)s, %(key)s) AND e.finished_at < now() - make_interval(secs => %(age)s)
    ORDER BY e.finished_at, e.id LIMIT %(limit)s
)
SELECT e.finished_at, e.id, e.recording = 'full' AND (f.episode_id IS NULL OR f.version < %(version)s
    OR f.chosen_at < e.finished_at + make_interval(secs => %(settle)s))
FROM page e LEFT JOIN trajectories_episodefidelity f ON f.episode_id = e.id
ORDER BY e.finished_at, e.id
