-- Subtracts the old verdict and adds the new one in one pass of sums.sql, then makes the new one current.
WITH verdicts AS (
    SELECT e.verdict_id AS id, -1 AS n FROM trajectories_episode e WHERE e.id = %(episode)s
    UNION ALL SELECT %(verdict)s, 1
), ended AS (
    SELECT e.task_id, e.arm, e.policy_version, e.is_plain, v.outcome, v.reason, x.n
    FROM verdicts x JOIN trajectories_verdict v ON v.id = x.id
    JOIN trajectories_episode e ON e.id = v.episode_id
), {sums}
UPDATE trajectories_episode SET verdict_id = %(verdict)s WHERE id = %(episode)s
