-- Of each task of a sampler, by id: the steps of its reference solution (0 without one), and how many of them can be
-- given (-1: never counted). Columns as in pool.sql.
SELECT string_agg(int4send(coalesce(cardinality(g.steps), 0)), ''), string_agg(int4send(coalesce(g.clean_steps, -1)), '')
FROM (SELECT task_id FROM trajectories_samplertask WHERE sampler_id = %(sampler)s ORDER BY task_id) t
LEFT JOIN tasks_app_gold g ON g.task_id = t.task_id AND g.is_current
