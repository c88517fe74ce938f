-- Facts are outdated when a step or page event came after the read; both are looked up by key.
(f.episode_id IS NULL OR f.version <> %(version)s
 OR f.seen_until < (SELECT s.created_at FROM trajectories_step s WHERE s.episode_id = e.id
    ORDER BY s.index DESC LIMIT 1)
 OR f.seen_until < (SELECT g.last_at FROM trajectories_pageeventtally g WHERE g.episode_id = e.id))
