-- The current verdicts of the latest ended episodes.
-- OFFSET 0 keeps the planner from reading whole tables: the cost is that of the rows, not of the history.
WITH latest AS ({latest})
SELECT e.run_id, e.policy_version, e.task_id, CASE v.outcome WHEN 'void' THEN v.reason ELSE '' END, count(*)
FROM latest
CROSS JOIN LATERAL (
    SELECT run_id, policy_version, task_id, verdict_id FROM trajectories_episode
    WHERE id = latest.episode_id OFFSET 0) AS e
CROSS JOIN LATERAL (
    SELECT outcome, reason FROM trajectories_verdict WHERE id = e.verdict_id OFFSET 0) AS v
GROUP BY 1, 2, 3, 4
