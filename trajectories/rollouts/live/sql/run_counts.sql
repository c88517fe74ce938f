SELECT r.id, coalesce(c.count, 0), r.project FROM trajectories_run r
LEFT JOIN trajectories_verdictcounter c ON c.run_id = r.id WHERE r.id = ANY(%s)
