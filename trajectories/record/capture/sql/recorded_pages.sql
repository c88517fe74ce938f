SELECT page, count(seq), sum(size)::bigint, sum(events)::bigint, min(first_ms) AS first_ms, max(last_ms),
    min(step), max(step), bool_or(has_snapshot)
FROM trajectories_recordingchunk WHERE episode_id = %(episode)s
GROUP BY page ORDER BY first_ms, page
