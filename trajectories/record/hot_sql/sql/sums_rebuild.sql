-- Adds all current verdicts of a run to its sums, which sums_clear.sql has emptied.
WITH ended AS (
    SELECT e.task_id, e.arm, e.policy_version, e.is_plain, v.outcome, v.reason, 1 AS n
    FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id WHERE e.run_id = %(run)s
), {sums}
SELECT 1
