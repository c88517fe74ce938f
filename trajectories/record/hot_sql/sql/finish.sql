-- The counter's row lock is held until commit, so numbers follow the order of commits, without gaps: readers who
-- continue from a number miss nothing. A sequence would not do, since it neither rolls back nor waits.
-- Episodes are locked by id, so that two batches cannot deadlock.
WITH input AS MATERIALIZED (
    SELECT * FROM json_to_recordset(%(endings)s::json) AS i(
        episode bigint, outcome text, reason text, is_truncated bool, score float8, metrics jsonb,
        verifier text, gold_version int, official jsonb, evidence jsonb)
), target AS MATERIALIZED (
    SELECT e.id, e.group_id, e.task_id, e.arm, e.policy_version, e.is_plain
    FROM trajectories_episode e JOIN input i ON i.episode = e.id
    WHERE e.run_id = %(run)s AND e.status = ANY(%(statuses)s)
        -- What a policy ends after a first answer is judged by it (first_answers_count.sql).
        AND NOT (e.answer_check = 'requested' AND e.status = 'open' AND i.outcome = 'incorrect')
    ORDER BY e.id FOR NO KEY UPDATE OF e
), counter AS (
    UPDATE trajectories_verdictcounter SET count = count + (SELECT count(*) FROM target)
    WHERE run_id = %(run)s AND EXISTS (SELECT 1 FROM target) RETURNING count
), written AS (
    INSERT INTO trajectories_verdict (episode_id, run_id, run_seq, outcome, reward, reason, terminated,
        truncated, score, metrics, verifier, gold_version, official, latency_ms, created_at)
    SELECT i.episode, %(run)s,
        (SELECT count FROM counter) - (SELECT count(*) FROM target) + row_number() OVER (ORDER BY t.id),
        i.outcome, {reward}, i.reason,
        i.outcome <> 'void' AND NOT i.is_truncated, i.is_truncated, i.score, i.metrics, i.verifier,
        i.gold_version, i.official, extract(epoch FROM clock_timestamp() - s.received_at) * 1000.0,
        clock_timestamp()
    FROM target t JOIN input i ON i.episode = t.id
    LEFT JOIN trajectories_submission s ON s.episode_id = t.id
    RETURNING id, episode_id, run_seq, outcome, reason
), ended AS (
    SELECT t.*, w.run_seq, w.outcome, w.reason, 1 AS n FROM written w JOIN target t ON t.id = w.episode_id
), {sums}, groups_counted AS (
    -- A refill, which changes the size, holds the group's row: what is compared here is the newest one.
    UPDATE trajectories_group g SET ended = g.ended + x.n,
        completed_seq = CASE WHEN g.ended + x.n >= g.size THEN x.newest END
    FROM (SELECT group_id, count(*) AS n, max(run_seq) AS newest FROM ended GROUP BY group_id) x
    WHERE g.id = x.group_id
), evidence_written AS (
    INSERT INTO trajectories_verdictevidence (verdict_id, data)
    SELECT w.id, i.evidence FROM written w JOIN input i ON i.episode = w.episode_id
    WHERE i.evidence IS NOT NULL
), submissions_judged AS (
    UPDATE trajectories_submission s SET judged_at = clock_timestamp()
    FROM written w WHERE s.episode_id = w.episode_id
)
UPDATE trajectories_episode e SET status = 'finished', finished_at = clock_timestamp(), verdict_id = w.id,
    closed_at = CASE WHEN %(is_closing)s THEN clock_timestamp() ELSE e.closed_at END,
    close_reason = CASE WHEN %(is_closing)s THEN %(close_reason)s ELSE e.close_reason END,
    close_detail = CASE WHEN %(is_closing)s THEN %(close_detail)s ELSE e.close_detail END
FROM written w WHERE e.id = w.episode_id RETURNING e.id
