-- The lock keeps refills out until the groups are gone; the next statement looks at their episodes.
SELECT g.id FROM trajectories_group g WHERE g.run_id = %(run)s AND g.id > %(after)s
ORDER BY g.id LIMIT %(limit)s FOR UPDATE
