-- Results between two places of the run's verdict stream, counted into what is known of the sampler's tasks. Each
-- newer result of a task multiplies the weight of those before it by `keep`, so that what is known up to a place is
-- the same however often it was counted on the way. Voids, guided episodes and probes do not count. Weights below
-- `keep` to the power of `oldest` are not told apart: Postgres refuses numbers that are too small. `place` counts newer
-- results of the task: that of its last success is the number of failures since. OFFSET 0 and the array keep the
-- planner from reading all episodes and all tasks of the sampler for a few hundred results.
WITH results AS (
    SELECT e.task_id, v.outcome = 'correct' AS is_correct,
        row_number() OVER (PARTITION BY e.task_id ORDER BY v.run_seq DESC) - 1 AS place,
        CASE WHEN v.outcome = 'correct' AND %(has_lengths)s
            THEN (SELECT max(index) FROM trajectories_step s WHERE s.episode_id = v.episode_id) END AS length
    FROM trajectories_verdict v
    CROSS JOIN LATERAL (
        SELECT task_id, is_plain, arm FROM trajectories_episode WHERE id = v.episode_id OFFSET 0) e
    WHERE v.run_id = %(run)s AND v.run_seq > %(after)s AND v.run_seq <= %(upto)s AND v.outcome <> 'void'
        AND e.is_plain AND e.arm <> ALL(%(probes)s)
), aged AS (
    SELECT *, least(place, %(oldest)s) AS age FROM results
), tallies AS (
    SELECT task_id, count(*) AS judged, count(*) FILTER (WHERE is_correct) AS successes,
        coalesce(sum(power(%(keep)s::float8, age)) FILTER (WHERE is_correct), 0) AS correct,
        coalesce(sum(power(%(keep)s::float8, age)) FILTER (WHERE NOT is_correct), 0) AS incorrect,
        min(place) FILTER (WHERE is_correct) AS failures, coalesce(max(length), 0) AS longest
    FROM aged GROUP BY task_id
)
UPDATE trajectories_samplertask t SET judged = t.judged + n.judged,
    failures = coalesce(n.failures, t.failures + n.judged), longest = greatest(t.longest, n.longest),
    correct = n.correct + CASE WHEN t.correct < 1e-9 THEN 0
        ELSE t.correct * power(%(keep)s::float8, least(n.judged, %(oldest)s)) END,
    incorrect = n.incorrect + CASE WHEN t.incorrect < 1e-9 THEN 0
        ELSE t.incorrect * power(%(keep)s::float8, least(n.judged, %(oldest)s)) END
FROM tallies n WHERE t.sampler_id = %(sampler)s AND t.task_id = n.task_id
    AND t.task_id = ANY(ARRAY(SELECT task_id FROM tallies))
RETURNING t.difficulty, n.judged, n.successes
