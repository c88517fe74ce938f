-- The page is cut first: a statement that looked for so many due ones could read all of history.
WITH page AS MATERIALIZED (
    SELECT e.finished_at, e.id FROM trajectories_episode e
    WHERE (e.finished_at, e.id) > (%(since)s, %(key)s) AND e.finished_at < now() - make_interval(secs => %(age)s)
    ORDER BY e.finished_at, e.id LIMIT %(limit)s
)
SELECT e.finished_at, e.id, {is_late}
FROM page e LEFT JOIN trajectories_episodefacts f ON f.episode_id = e.id
ORDER BY e.finished_at, e.id
