-- Whether some turn of episode e with verdict v could not be read, and the episode is no format failure.
(v.outcome IN ('correct', 'incorrect') AND NOT {is_failure}
    AND EXISTS (SELECT FROM trajectories_step s WHERE s.episode_id = e.id AND s.parse_error <> ''))
