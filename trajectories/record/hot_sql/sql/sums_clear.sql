-- Deletes a run's sums before they are rebuilt, which needs sums_lock.sql.
WITH tasks AS (DELETE FROM trajectories_tasksum WHERE run_id = %(run)s),
rates AS (DELETE FROM trajectories_ratesum WHERE run_id = %(run)s)
DELETE FROM trajectories_endingsum WHERE run_id = %(run)s
