-- The page is cut first: a statement that looked for so many due ones could read all of history.
WITH page AS MATERIALIZED (
    SELECT v.created_at, v.episode_id FROM trajectories_verdict v
    WHERE (v.created_at, v.episode_id) > (%(since)s, %(key)s) AND v.run_seq IS NOT NULL
        AND v.created_at < now() - make_interval(secs => %(age)s)
    ORDER BY v.created_at, v.episode_id LIMIT %(limit)s
)
SELECT p.created_at, e.id, e.recording = 'full' AND (f.episode_id IS NULL OR f.version < %(version)s
    OR f.chosen_at < e.finished_at + make_interval(secs => %(settle)s))
FROM page p JOIN trajectories_episode e ON e.id = p.episode_id
LEFT JOIN trajectories_episodefidelity f ON f.episode_id = e.id
ORDER BY p.created_at, e.id
