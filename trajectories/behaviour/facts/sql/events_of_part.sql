-- Whether pages report events, and with step numbers, holds for the whole episode: one event shows it. When
-- there are more events than the limit, the requested steps keep their first ones; earlier ones go.
SELECT * FROM (SELECT g.*,
row_number() OVER (PARTITION BY g.step ORDER BY g.received_at, g.page, g.seq) AS place,
g.kind = 'capped' OR (g.page, g.seq) = bounds.witness AS is_witness,
coalesce(g.step BETWEEN %(first)s AND %(last)s, g.received_at >= bounds.requested) AS is_requested
FROM (SELECT
    (SELECT min(s.started_at) FROM trajectories_step s
        WHERE s.episode_id = e.id AND s.index BETWEEN %(read_first)s AND %(read_last)s) AS begun,
    (SELECT min(s.started_at) FROM trajectories_step s
        WHERE s.episode_id = e.id AND s.index BETWEEN %(first)s AND %(last)s) AS requested,
    (SELECT min(s.started_at) FROM trajectories_step s
        WHERE s.episode_id = e.id AND s.index > %(read_last)s) AS ended,
    (SELECT (h.page, h.seq) FROM trajectories_pageevent h
        WHERE h.episode_id = e.id AND h.kind = ANY(%(kinds)s)
        ORDER BY h.step IS NULL LIMIT 1) AS witness) bounds
JOIN trajectories_pageevent g ON g.episode_id = e.id AND g.kind = ANY(%(kinds)s)
WHERE g.step BETWEEN %(read_first)s AND %(read_last)s OR g.kind = 'capped'
    OR g.step IS NULL AND g.received_at >= bounds.begun
        AND g.received_at < coalesce(bounds.ended, 'infinity')
    OR (g.page, g.seq) = bounds.witness) c
ORDER BY c.is_witness DESC, c.is_requested DESC NULLS LAST, c.place
