-- The newest place of the run's stream, when its verdict was written, and for each of `seconds` the last place that
-- is older. Times follow places, so each is looked for by halving what is left. A verdict that is no more is old.
WITH RECURSIVE stream AS (
    SELECT coalesce((SELECT count FROM trajectories_verdictcounter WHERE run_id = %(run)s), 0) AS newest
), halves AS (
    SELECT seconds, 0::bigint AS low, newest AS high FROM unnest(%(seconds)s::float8[]) AS seconds, stream
    UNION ALL
    SELECT seconds, CASE WHEN is_older THEN middle ELSE low END, CASE WHEN is_older THEN high ELSE middle - 1 END
    FROM (SELECT *, (low + high + 1) / 2 AS middle FROM halves WHERE low < high) h CROSS JOIN LATERAL (
        SELECT coalesce((SELECT v.created_at < now() - h.seconds * interval '1 s' FROM trajectories_verdict v
            WHERE v.run_id = %(run)s AND v.run_seq = h.middle), true) AS is_older) m
)
SELECT newest,
    (SELECT created_at FROM trajectories_verdict WHERE run_id = %(run)s AND run_seq = newest),
    ARRAY(SELECT low FROM halves WHERE low = high ORDER BY seconds)
FROM stream
