-- Subtracts verdicts, with the statement that adds them (sums.sql) and `n` = -1.
WITH ended AS (
    SELECT e.task_id, e.arm, e.policy_version, e.is_plain, v.outcome, v.reason, -1 AS n
    FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id
    WHERE e.run_id = %(run)s AND e.id = ANY(%(episodes)s)
), {sums}
SELECT 1
