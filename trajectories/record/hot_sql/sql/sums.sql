-- The part of a statement that adds to a run's sums. `ended` has the verdicts: `n` is 1 for a new one, -1 for one
-- that is replaced. The run's counter is locked by then, but the statement's snapshot is older than that lock:
-- sums may be read only from the row that an upsert locks, or from what it returns. A probe is rated within its arm
-- alone.
rated AS (
    SELECT p.scope, p.part, e.task_id, sum(e.n) FILTER (WHERE e.outcome = 'correct') AS correct,
        sum(e.n) AS judged
    FROM ended e CROSS JOIN LATERAL (VALUES
        ('run', ''), ('arm', e.arm), ('version', coalesce(e.policy_version::text, ''))) AS p(scope, part)
    WHERE e.outcome <> 'void' AND e.is_plain AND (p.scope = 'arm' OR NOT {is_probe})
    GROUP BY p.scope, p.part, e.task_id
), task_sums AS (
    INSERT INTO trajectories_tasksum AS s (run_id, task_id, scope, part, correct, judged)
    SELECT %(run)s, task_id, scope, part, coalesce(correct, 0), judged FROM rated
    ON CONFLICT (run_id, scope, part, task_id) DO UPDATE
    SET correct = s.correct + excluded.correct, judged = s.judged + excluded.judged
    RETURNING scope, part, task_id, correct, judged
), changed AS (
    SELECT s.scope, s.part, s.correct AS k, s.judged AS n, s.correct - coalesce(r.correct, 0) AS k_before,
        s.judged - r.judged AS n_before
    FROM task_sums s JOIN rated r USING (scope, part, task_id)
), rate_sums AS (
    -- Sums over tasks of k, n and their products: the variance of a ratio clustered by task needs no more, so a rate
    -- never reads the tasks again. Each task adds the difference between its new and its old products.
    INSERT INTO trajectories_ratesum AS s (run_id, scope, part, tasks, correct, judged, correct_squared,
        correct_times_judged, judged_squared)
    SELECT %(run)s, scope, part, sum((n > 0)::int - (n_before > 0)::int), sum(k - k_before), sum(n - n_before),
        sum(k * k - k_before * k_before), sum(k * n - k_before * n_before), sum(n * n - n_before * n_before)
    FROM changed GROUP BY scope, part
    ON CONFLICT (run_id, scope, part) DO UPDATE
    SET tasks = s.tasks + excluded.tasks, correct = s.correct + excluded.correct,
        judged = s.judged + excluded.judged, correct_squared = s.correct_squared + excluded.correct_squared,
        correct_times_judged = s.correct_times_judged + excluded.correct_times_judged,
        judged_squared = s.judged_squared + excluded.judged_squared
), ending_sums AS (
    INSERT INTO trajectories_endingsum AS s (run_id, arm, policy_version, is_plain, outcome, reason, episodes)
    SELECT %(run)s, arm, policy_version, is_plain, outcome, reason, sum(n) FROM ended
    GROUP BY arm, policy_version, is_plain, outcome, reason
    ON CONFLICT (run_id, arm, policy_version, is_plain, outcome, reason) DO UPDATE
    SET episodes = s.episodes + excluded.episodes
), changes AS (
    INSERT INTO trajectories_versionsum AS s (run_id, arm, policy_version, changes)
    SELECT %(run)s, arm, policy_version, 1 FROM ended WHERE policy_version IS NOT NULL GROUP BY arm, policy_version
    ON CONFLICT (run_id, arm, policy_version) DO UPDATE SET changes = s.changes + 1
)
