-- For episode e, placed before a query of its site events: read once, however many changes there are.
acts AS MATERIALIZED (
    SELECT p.step, p.received_at FROM trajectories_pageevent p
    WHERE p.episode_id = e.id AND p.kind = ANY(%(acts)s)),
cap AS MATERIALIZED (
    SELECT min(p.received_at) AS at FROM trajectories_pageevent p
    WHERE p.episode_id = e.id AND p.kind = '{capped}')
