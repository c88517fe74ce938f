-- Gives a fork what the server did for its parent up to the step where it begins. Nothing happens a second time: what
-- is there stays.
WITH fork AS MATERIALIZED (
    SELECT e.id, e.parent_id, e.begins_after, (
        SELECT coalesce(min(v.seq), 2147483647) FROM trajectories_siteevent v
        WHERE v.episode_id = e.parent_id AND v.step > e.begins_after) AS cut
    FROM trajectories_episode e
    WHERE e.id = %(episode)s AND e.status = 'open' AND e.inherited_events IS NULL FOR NO KEY UPDATE OF e
), events AS (
    INSERT INTO trajectories_siteevent (episode_id, seq, step, kind, data, created_at)
    SELECT fork.id, v.seq, v.step, v.kind, v.data, v.created_at
    FROM fork JOIN trajectories_siteevent v ON v.episode_id = fork.parent_id AND v.seq < fork.cut
    ON CONFLICT DO NOTHING RETURNING seq
), calls AS (
    INSERT INTO trajectories_toolcall
        (episode_id, number, step, tool, input, status, output, created_at, sent_at, claimed_at, finished_at)
    SELECT fork.id, c.number, c.step, c.tool, c.input, CASE c.status WHEN 'done' THEN 'done' ELSE 'failed' END,
        c.output, c.created_at, c.sent_at, c.claimed_at, c.finished_at
    FROM fork JOIN trajectories_toolcall c ON c.episode_id = fork.parent_id AND c.step <= fork.begins_after
    ON CONFLICT DO NOTHING
)
UPDATE trajectories_episode e SET inherited_events = coalesce((SELECT max(seq) FROM events), 0)
FROM fork WHERE e.id = fork.id
