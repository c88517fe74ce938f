-- Everything forked from the first episode of a line that is still there, itself included, after the id `after`.
-- A fork is opened after its parent, so that parents come first. Indexes lead up and down: one row for each episode.
-- Those that follow on so many `values` have null in place of theirs.
WITH RECURSIVE line AS (
    SELECT e.id, e.parent_id, 0 AS height FROM trajectories_episode e WHERE e.id = %(episode)s
    UNION ALL
    SELECT p.id, p.parent_id, l.height + 1 FROM line l JOIN trajectories_episode p ON p.id = l.parent_id
), tree AS (
    (SELECT id FROM line ORDER BY height DESC LIMIT 1)
    UNION ALL
    SELECT f.id FROM tree t JOIN trajectories_episode f ON f.parent_id = t.id
), page AS (
    SELECT e.* FROM tree JOIN trajectories_episode e ON e.id = tree.id
    JOIN trajectories_run r ON r.id = e.run_id AND (%(project)s::text IS NULL OR r.project = %(project)s::text)
    WHERE e.id > %(after)s ORDER BY e.id LIMIT %(limit)s
), sized AS (
    SELECT page.*, sum(u.number) OVER (ORDER BY page.id) - u.number AS values_before
    FROM page CROSS JOIN LATERAL (
        SELECT count(*) AS number FROM trajectories_stepvalue v WHERE v.episode_id = page.id) u
)
SELECT p.id, p.run_id, p.group_id, p.parent_id, p.begins_after,
    coalesce((SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = p.id), p.begins_after),
    p.policy_version, p.guidance IS NOT NULL, p.status, v.outcome, v.reward, v.reason,
    CASE WHEN p.values_before < %(values)s THEN (
        SELECT coalesce(json_agg(json_build_object('step', u.step, 'value', u.value, 'visits', u.visits) ORDER BY u.step), '[]')
        FROM trajectories_stepvalue u WHERE u.episode_id = p.id)::text END
FROM sized p LEFT JOIN trajectories_verdict v ON v.id = p.verdict_id
ORDER BY p.id
