-- Unfinished episodes `e` by way of their groups `g`; conditions on either may follow. No index of episodes knows the
-- unfinished, for it would change with every verdict. OFFSET 0 keeps the planner from reading all episodes.
trajectories_group g CROSS JOIN LATERAL (
    SELECT * FROM trajectories_episode x WHERE x.group_id = g.id AND x.verdict_id IS NULL OFFSET 0) e
WHERE g.completed_seq IS NULL
