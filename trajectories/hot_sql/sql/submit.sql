WITH submitted AS (
    UPDATE trajectories_episode SET status = 'submitted'
    WHERE id = %(episode)s AND status = 'open' AND inherited_events IS NOT NULL RETURNING id
), stored AS (
    INSERT INTO trajectories_submission (episode_id, answer, channel)
    SELECT id, %(answer)s::jsonb, %(channel)s FROM submitted RETURNING episode_id
)
SELECT pg_notify('{channel}', '') FROM stored
