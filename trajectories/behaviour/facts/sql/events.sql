SELECT * FROM trajectories_pageevent g
WHERE g.episode_id = e.id AND g.kind = ANY(%(kinds)s)
ORDER BY g.received_at, g.page, g.seq
