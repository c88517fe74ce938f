-- The ids of a tree's episodes that are shown around one of them: its latest ancestors, its first forks, and the first
-- of the whole tree, whose size is counted up to `counted`.
WITH RECURSIVE line AS (
    SELECT e.id, e.parent_id, 0 AS height FROM trajectories_episode e WHERE e.id = %(episode)s
    UNION ALL
    SELECT p.id, p.parent_id, l.height + 1 FROM line l JOIN trajectories_episode p ON p.id = l.parent_id
), tree AS (
    (SELECT id FROM line ORDER BY height DESC LIMIT 1)
    UNION ALL
    SELECT f.id FROM tree t JOIN trajectories_episode f ON f.parent_id = t.id
), counted AS MATERIALIZED (SELECT id FROM tree LIMIT %(counted)s), shown AS (
    (SELECT id FROM line ORDER BY height LIMIT %(near)s)
    UNION (SELECT f.id FROM trajectories_episode f WHERE f.parent_id = %(episode)s ORDER BY f.id LIMIT %(near)s)
    UNION (SELECT id FROM counted ORDER BY id LIMIT %(shown)s)
)
SELECT array_agg(id ORDER BY id), (SELECT count(*) FROM counted) FROM shown
