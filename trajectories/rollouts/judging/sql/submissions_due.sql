SELECT episode_id FROM trajectories_submission
WHERE judged_at IS NULL AND claims < %(claims_max)s
    AND (claimed_at IS NULL OR claimed_at < clock_timestamp() - %(lost)s * interval '1 s')
    AND (sent_at IS NULL OR sent_at < clock_timestamp() - interval '1 s'
        * (%(after)s::float8[])[least(sends, cardinality(%(after)s::float8[]))])
ORDER BY received_at, episode_id LIMIT %(batch)s
