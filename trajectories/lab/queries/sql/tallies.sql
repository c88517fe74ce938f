WITH per_task AS (
    SELECT e.{part} AS part, e.task_id,
           count(*) AS episodes,
           count(*) FILTER (WHERE e.status = 'open') AS open,
           count(*) FILTER (WHERE e.status = 'submitted') AS submitted,
           count(*) FILTER (WHERE v.outcome = 'correct') AS correct,
           count(*) FILTER (WHERE v.outcome = 'incorrect') AS incorrect,
           count(*) FILTER (WHERE v.outcome = 'void') AS void,
           count(*) FILTER (WHERE v.outcome = 'void' AND v.reason <> ALL(%(harmless)s)) AS void_ours,
           count(*) FILTER (WHERE e.guidance IS NOT NULL) AS guided,
           count(*) FILTER (WHERE v.outcome = 'correct' AND e.guidance IS NULL) AS k,
           count(*) FILTER (WHERE v.outcome IN ('correct', 'incorrect') AND e.guidance IS NULL) AS n
      FROM trajectories_episode e LEFT JOIN trajectories_verdict v ON v.id = e.verdict_id
     WHERE e.{column} = ANY(%(ids)s)
     GROUP BY e.{part}, e.task_id)
SELECT part, sum(episodes)::bigint, sum(open)::bigint, sum(submitted)::bigint, sum(correct)::bigint,
       sum(incorrect)::bigint, sum(void)::bigint, sum(void_ours)::bigint, sum(guided)::bigint,
       count(*) FILTER (WHERE n > 0), sum(k)::bigint, sum(n)::bigint,
       sum(k * k)::bigint, sum(k * n)::bigint, sum(n * n)::bigint
  FROM per_task GROUP BY part ORDER BY part
