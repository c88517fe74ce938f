-- A sample of the unfinished, and of those that ended lately the ones at the given places of the stream.
WITH chosen AS (
    (SELECT e.id, FALSE AS is_ended FROM {unfinished} AND g.run_id = %(run)s
     ORDER BY md5(e.id::text) LIMIT %(sampled)s)
    UNION ALL
    SELECT episode_id, TRUE FROM trajectories_verdict
    WHERE run_id = %(run)s AND run_seq = ANY(%(places)s::bigint[]))
SELECT is_ended, count(*), sum(n) FROM chosen CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT created_at FROM trajectories_step WHERE episode_id = chosen.id
        ORDER BY index DESC LIMIT %(read)s
    ) newest WHERE created_at > now() - %(window)s * interval '1 s') counted
GROUP BY is_ended
