INSERT INTO trajectories_rewardcomponents (episode_id, source_id, computed_at, values, steps)
SELECT %(episode)s, %(source)s, clock_timestamp(), %(values)s::jsonb, %(steps)s::jsonb
