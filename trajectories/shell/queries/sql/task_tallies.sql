-- The episodes of one task, by arm.
WITH counted AS (
    SELECT e.arm,
           count(*) AS episodes,
           count(*) FILTER (WHERE e.status = 'open') AS open,
           count(*) FILTER (WHERE e.status = 'submitted') AS submitted,
           count(*) FILTER (WHERE v.outcome = 'correct') AS correct,
           count(*) FILTER (WHERE v.outcome = 'incorrect') AS incorrect,
           count(*) FILTER (WHERE v.outcome = 'void') AS void,
           count(*) FILTER (WHERE v.outcome = 'void' AND v.reason <> ALL(%(harmless)s)) AS void_ours,
           count(*) FILTER (WHERE NOT e.is_plain) AS set_apart,
           count(*) FILTER (WHERE v.outcome = 'correct' AND e.is_plain) AS k,
           count(*) FILTER (WHERE v.outcome IN ('correct', 'incorrect') AND e.is_plain) AS n
      FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
     WHERE e.task_id = %(task)s
     GROUP BY e.arm)
SELECT arm, episodes, open, submitted, correct, incorrect, void, void_ours, set_apart, (n > 0)::int, k, n,
       k * k, k * n, n * n
  FROM counted ORDER BY arm
