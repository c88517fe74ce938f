-- Lets no verdict of the run commit meanwhile. It is a statement of its own: under READ COMMITTED the next statement
-- gets a new snapshot, with the verdicts of those who held the lock before.
SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s FOR NO KEY UPDATE
