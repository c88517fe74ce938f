-- A row of its own statement: what follows gets a new snapshot.
SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s FOR NO KEY UPDATE
