-- The page is cut first: a statement that looked for so many due ones could read all of history.
WITH page AS MATERIALIZED (
    SELECT v.created_at, v.episode_id AS id FROM trajectories_verdict v
    WHERE (v.created_at, v.episode_id) > (%(since)s, %(key)s) AND v.run_seq IS NOT NULL
        AND v.created_at < now() - make_interval(secs => %(age)s)
    ORDER BY v.created_at, v.episode_id LIMIT %(limit)s
)
SELECT e.created_at, e.id, {is_late}
FROM page e LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
ORDER BY e.created_at, e.id
