-- One statement, so that of two callers with the same number, one finds the other's row.
INSERT INTO trajectories_policyversion (run_id, version, checkpoint, trainer_step, created_at)
SELECT %(run)s, %(version)s, %(checkpoint)s, %(trainer_step)s, now()
WHERE %(version)s > coalesce(
    (SELECT max(version) FROM trajectories_policyversion WHERE run_id = %(run)s), -1)
ON CONFLICT DO NOTHING RETURNING id
