-- Takes ids from the sequences for rows about to be inserted; unused ones are lost, which harms nothing.
SELECT nextval('trajectories_group_id_seq'), 0 FROM generate_series(1, %(groups)s)
UNION ALL
SELECT nextval('trajectories_episode_id_seq'), 1 FROM generate_series(1, %(episodes)s)
