-- What has ended is read from the sums of runs; the rest is at most ACTIVE_EPISODES_MAX in all runs.
WITH ended AS (
    SELECT {part} AS part, sum(episodes) AS episodes,
        sum(episodes) FILTER (WHERE outcome = 'correct') AS correct,
        sum(episodes) FILTER (WHERE outcome = 'incorrect') AS incorrect,
        sum(episodes) FILTER (WHERE outcome = 'void') AS void,
        sum(episodes) FILTER (WHERE outcome = 'void' AND reason <> ALL(%(harmless)s)) AS void_ours,
        sum(episodes) FILTER (WHERE NOT is_plain) AS set_apart
    FROM trajectories_endingsum WHERE run_id = ANY(%(runs)s) AND episodes > 0 GROUP BY {part}
), unfinished AS (
    SELECT e.{part} AS part, count(*) FILTER (WHERE e.status = 'open') AS open,
        count(*) FILTER (WHERE e.status = 'submitted') AS submitted,
        count(*) FILTER (WHERE NOT e.is_plain) AS set_apart
    FROM {unfinished} AND g.run_id = ANY(%(runs)s) GROUP BY e.{part}
)
SELECT coalesce(e.part, u.part), (coalesce(e.episodes, 0) + coalesce(u.open + u.submitted, 0))::bigint,
    coalesce(u.open, 0), coalesce(u.submitted, 0), coalesce(e.correct, 0)::bigint, coalesce(e.incorrect, 0)::bigint,
    coalesce(e.void, 0)::bigint, coalesce(e.void_ours, 0)::bigint,
    (coalesce(e.set_apart, 0) + coalesce(u.set_apart, 0))::bigint, coalesce(s.tasks, 0), coalesce(s.correct, 0),
    coalesce(s.judged, 0), coalesce(s.correct_squared, 0), coalesce(s.correct_times_judged, 0),
    coalesce(s.judged_squared, 0)
FROM ended e FULL JOIN unfinished u ON u.part = e.part
LEFT JOIN trajectories_ratesum s ON s.run_id = ANY(%(runs)s) AND s.scope = %(scope)s
    AND s.{key} = coalesce(e.part, u.part)
ORDER BY 1
