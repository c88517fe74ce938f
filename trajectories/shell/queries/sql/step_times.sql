-- Steps whose time is unknown count as a second, as in playback. Long episodes are summed in stretches of equal length.
WITH steps AS (
    SELECT s.index, coalesce(s.duration_ms, 1000) AS ms,
        row_number() OVER (ORDER BY s.index) - 1 AS place, count(*) OVER () AS number,
        s.parse_error <> '' OR NOT s.action_known AS is_bad,
        s.action_result NOT IN ('', 'ok') AS is_warned
    FROM trajectories_step s WHERE s.episode_id = %(episode)s
)
SELECT min(index), sum(ms)::float8, bool_or(is_bad), bool_or(is_warned)
FROM steps GROUP BY place / ceil(number / %(most)s::float8)::bigint ORDER BY 1
