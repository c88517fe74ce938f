-- An episode's last sign of life is its last step, page event or site event; without one it is unused.
SELECT run_id, id, is_used, seconds FROM (
    SELECT e.run_id, e.id, life.last_at IS NOT NULL AS is_used,
        extract(epoch FROM clock_timestamp() - coalesce(life.last_at, e.opened_at))::float8 AS seconds
    FROM trajectories_episode e CROSS JOIN LATERAL (
        SELECT greatest(
            (SELECT s.created_at FROM trajectories_step s
                WHERE s.episode_id = e.id ORDER BY s.index DESC LIMIT 1),
            (SELECT p.last_at FROM trajectories_pageeventtally p WHERE p.episode_id = e.id),
            (SELECT v.created_at FROM trajectories_siteevent v
                WHERE v.episode_id = e.id ORDER BY v.seq DESC LIMIT 1)
        ) AS last_at) AS life
    WHERE e.status = 'open') AS open
WHERE seconds > %(lease)s ORDER BY id
