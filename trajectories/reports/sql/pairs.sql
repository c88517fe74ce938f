-- Pairs of tasks that were both judged, by their shares of correct verdicts. Guided episodes do not count.
-- Parameters: run, splits (empty: all).
WITH tried AS (
    SELECT e.arm, e.task_id, avg(v.reward) AS share
      FROM trajectories_episode e JOIN trajectories_verdict v ON v.id = e.verdict_id
      JOIN tasks_app_task t ON t.id = e.task_id
     WHERE e.run_id = %(run)s AND v.reward IS NOT NULL AND e.guidance IS NULL AND t.kind = 'site'
       AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
     GROUP BY e.arm, e.task_id),
paired AS (
    SELECT tried.arm, g.extra->>'twin' AS pair, (g.extra->>'is_possible')::bool AS is_possible,
           split_part(t.key, '/', 1) AS family, t.benchmark_id, tried.share
      FROM tried JOIN tasks_app_gold g ON g.task_id = tried.task_id AND g.is_current
      JOIN tasks_app_task t ON t.id = tried.task_id
     WHERE g.extra->>'twin' <> '')
SELECT can.arm, can.benchmark_id, can.family, count(*), avg(can.share), avg(cannot.share),
       avg(can.share * cannot.share)
  FROM paired can JOIN paired cannot USING (arm, benchmark_id, family, pair)
 WHERE can.is_possible AND NOT cannot.is_possible
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
