-- Tasks that the run has judged, with correct and judged episodes in each member: those first on which arms differ most.
-- From sums, so it costs what the tasks do. Parameters: run; runs and arms, a member each; limit.
WITH members AS (
    SELECT run_id, arm, place FROM unnest(%(runs)s::bigint[], %(arms)s::text[]) WITH ORDINALITY AS m(run_id, arm, place)),
tasks AS (
    SELECT s.task_id, array_agg(m.place ORDER BY m.place) AS places, array_agg(s.correct ORDER BY m.place) AS correct,
        array_agg(s.judged ORDER BY m.place) AS judged,
        max(s.correct::float8 / s.judged) - min(s.correct::float8 / s.judged) AS spread,
        avg(s.correct::float8 / s.judged) AS mean
    FROM members m JOIN trajectories_tasksum s
        ON s.run_id = m.run_id AND s.scope = 'arm' AND s.part = m.arm AND s.judged > 0
    GROUP BY s.task_id HAVING count(*) > 1 AND bool_or(m.run_id = %(run)s)),
shown AS (
    SELECT *, count(*) OVER () AS shared, count(*) FILTER (WHERE spread > 0) OVER () AS differing
    FROM tasks ORDER BY spread DESC, mean, task_id LIMIT %(limit)s)
SELECT t.task_id, k.benchmark_id, left(k.prompt, 200), t.places, t.correct::bigint[], t.judged::bigint[],
    t.shared, t.differing
FROM shown t JOIN tasks_app_task k ON k.id = t.task_id
ORDER BY t.spread DESC, t.mean, t.task_id
