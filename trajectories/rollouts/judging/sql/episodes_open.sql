-- What an episode's life is known by: its last step, its pages' last report, its last site event. Each is
-- compared alone (a person who reads gives none: a takeover has a limit of its own), and numbers rather than times where there are numbers: the clock may be set back.
SELECT e.run_id, e.id,
    (SELECT max(s.index) FROM trajectories_step s WHERE s.episode_id = e.id),
    (SELECT extract(epoch FROM p.last_at)::float8 FROM trajectories_pageeventtally p WHERE p.episode_id = e.id),
    (SELECT max(v.seq) FROM trajectories_siteevent v WHERE v.episode_id = e.id)
FROM {unfinished} AND e.status = 'open' AND NOT {is_taken}
