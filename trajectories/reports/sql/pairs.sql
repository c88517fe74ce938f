-- Pairs of tasks that were both judged, by their shares of correct verdicts, from the sums of the run's tasks: what it
-- costs is bounded by the tasks. Guided episodes are not in the sums. Parameters: run, scope, splits (empty: all).
WITH tried AS (
    SELECT s.part AS arm, s.task_id, s.correct::numeric / s.judged AS share,
           split_part(t.key, '/', 1) AS family, t.benchmark_id
      FROM trajectories_tasksum s JOIN tasks_app_task t ON t.id = s.task_id
     WHERE s.run_id = %(run)s AND s.scope = %(scope)s AND s.judged > 0 AND t.kind = 'site'
       AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))),
paired AS (
    SELECT tried.*, g.extra->>'twin' AS pair, (g.extra->>'is_possible')::bool AS is_possible
      FROM tried JOIN tasks_app_gold g ON g.task_id = tried.task_id AND g.is_current
     WHERE g.extra->>'twin' <> '')
SELECT can.arm, can.benchmark_id, can.family, count(*), avg(can.share)::float8, avg(cannot.share)::float8,
       avg(can.share * cannot.share)::float8
  FROM paired can JOIN paired cannot USING (arm, benchmark_id, family, pair)
 WHERE can.is_possible AND NOT cannot.is_possible
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
