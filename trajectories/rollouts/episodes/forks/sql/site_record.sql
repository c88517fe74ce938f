-- What the server did for an episode up to a step: how much of it, and what keeps it from being done again. The first
-- page may be opened before any step; what has no step later was done without a harness.
WITH cut AS (
    SELECT coalesce(min(v.seq) FILTER (WHERE v.step > %(step)s), 2147483647) AS seq,
        min(v.seq) FILTER (WHERE v.step IS NOT NULL) AS numbered
    FROM trajectories_siteevent v WHERE v.episode_id = %(episode)s
)
SELECT bool_or(v.step IS NULL AND v.seq > cut.numbered), bool_or(v.kind = '{capped}'),
    bool_or(v.kind = '{answered}')
FROM cut JOIN trajectories_siteevent v ON v.episode_id = %(episode)s AND v.seq < cut.seq
