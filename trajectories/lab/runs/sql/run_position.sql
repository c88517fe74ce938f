-- Rejudging replaces an episode's verdict and is not part of the stream.
SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0),
    (SELECT count(*) FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq IS NULL),
    extract(epoch FROM now())
