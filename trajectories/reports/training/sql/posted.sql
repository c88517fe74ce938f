-- The trainer's own metrics of one run: by policy version and name the mean of what was posted.
SELECT m.policy_version, p.key, avg((p.value #>> '{}')::float8)
FROM trajectories_runmetrics m, jsonb_each(m.values) p
WHERE m.run_id = %(run)s AND m.policy_version IS NOT NULL AND jsonb_typeof(p.value) = 'number'
GROUP BY 1, 2 ORDER BY 2, 1
