WITH tasks AS (DELETE FROM trajectories_tasksum WHERE run_id = %(run)s),
rates AS (DELETE FROM trajectories_ratesum WHERE run_id = %(run)s)
DELETE FROM trajectories_endingsum WHERE run_id = %(run)s
