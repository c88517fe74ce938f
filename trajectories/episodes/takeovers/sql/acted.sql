-- The last step that somebody may have begun in an episode, its steps or not; and the last document that it was served.
SELECT greatest(e.begins_after,
        (SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id),
        (SELECT max(v.step) FROM trajectories_siteevent v WHERE v.episode_id = e.id),
        (SELECT max(p.step) FROM trajectories_pageevent p WHERE p.episode_id = e.id)),
    (SELECT v.data->>'path' FROM trajectories_siteevent v
        WHERE v.episode_id = e.id AND v.kind = '{page_served}' AND v.data ? 'path' ORDER BY v.seq DESC LIMIT 1)
FROM trajectories_episode e WHERE e.id = %(episode)s
