-- For episode e, placed before a query of its site events: read once, however many changes there are.
acts AS MATERIALIZED (
    SELECT p.step, p.received_at FROM trajectories_pageevent p
    WHERE p.episode_id = e.id AND p.kind = ANY(%(acts)s) AND p.data->'trusted' IS DISTINCT FROM 'false'),
cap AS MATERIALIZED (
    SELECT min(p.received_at) AS at FROM trajectories_pageevent p
    WHERE p.episode_id = e.id AND p.kind = '{capped}'),
-- Usually the first row, by the key's order.
served AS MATERIALIZED (
    SELECT min(v.seq) AS seq FROM trajectories_siteevent v
    WHERE v.episode_id = e.id AND v.kind = '{page_served}')
