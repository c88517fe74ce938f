WITH lately AS (
    SELECT v.id, v.latency_ms, v.verifier = ANY(%(sandboxed)s) AS is_sandboxed FROM trajectories_verdict v
    WHERE v.latency_ms IS NOT NULL AND v.run_seq IS NOT NULL ORDER BY v.id DESC LIMIT %(searched)s)
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM trajectories_submission WHERE judged_at IS NULL LIMIT %(waiting)s) AS waiting),
    (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) FROM (
        SELECT latency_ms FROM lately WHERE NOT is_sandboxed ORDER BY id DESC LIMIT %(recent)s) AS recent),
    (SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) FROM (
        SELECT latency_ms FROM lately WHERE is_sandboxed ORDER BY id DESC LIMIT %(recent)s) AS recent)
