-- By arm: a run's judged episodes, those that failed by their form, and those that were repaired.
SELECT e.arm, count(*), count(*) FILTER (WHERE {is_failure}), count(*) FILTER (WHERE {is_repaired})
FROM trajectories_episode e
JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome IN ('correct', 'incorrect')
WHERE e.run_id = %(run)s AND e.is_plain
GROUP BY e.arm
