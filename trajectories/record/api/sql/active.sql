-- Unfinished episodes, by the sizes of their groups.
SELECT coalesce(sum(size - ended), 0) FROM trajectories_group WHERE completed_seq IS NULL
