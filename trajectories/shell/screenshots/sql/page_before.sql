-- The page's first load, and the last event before the step that reports scrolling: what the step itself
-- scrolled came after its screenshot.
(SELECT kind, data FROM trajectories_pageevent
    WHERE episode_id = %(episode)s AND page = %(page)s AND kind = %(load)s ORDER BY seq LIMIT 1)
UNION ALL
(SELECT kind, data FROM trajectories_pageevent WHERE episode_id = %(episode)s AND page = %(page)s
    AND kind = ANY(%(scrolled)s) AND seq < %(seq)s AND (step IS NULL OR step < %(step)s)
    ORDER BY seq DESC LIMIT 1)
