-- Again for the same step: the newer value counts.
INSERT INTO trajectories_stepvalue (episode_id, step, value, visits)
SELECT %(episode)s, v.step, v.value, v.visits
FROM unnest(%(steps)s::int[], %(values)s::float8[], %(visits)s::int[]) AS v (step, value, visits)
ON CONFLICT (episode_id, step) DO UPDATE SET value = excluded.value, visits = excluded.visits, posted_at = now()
