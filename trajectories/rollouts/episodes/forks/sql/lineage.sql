-- The steps of `episode` from `since` to `until`. The episodes that hold them, each with the first and last that it holds, are
-- itself, its parent up to where it begins, and so on; one that begins later than that holds none.
WITH RECURSIVE line AS (
    SELECT e.id, e.parent_id, e.begins_after + 1 AS first, %(until)s::int AS last
    FROM trajectories_episode e WHERE e.id = %(episode)s
    UNION ALL
    SELECT p.id, p.parent_id, p.begins_after + 1, least(l.first - 1, l.last)
    FROM line l JOIN trajectories_episode p ON p.id = l.parent_id WHERE l.first > 1
)
SELECT {columns}
FROM line l JOIN trajectories_step s ON s.episode_id = l.id AND s.index BETWEEN greatest(l.first, %(since)s) AND l.last
ORDER BY s.index
