DELETE FROM trajectories_idempotentcall
WHERE created_at < clock_timestamp() - interval '{hours} hours'
