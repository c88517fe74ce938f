trajectories_run r
LEFT JOIN trajectories_ratesum s ON s.run_id = r.id AND s.scope = 'run'
LEFT JOIN LATERAL (
    SELECT sum(d.episodes) AS episodes, sum(d.episodes) FILTER (WHERE d.outcome = 'void') AS void
    FROM trajectories_endingsum d WHERE d.run_id = r.id
) n ON true
