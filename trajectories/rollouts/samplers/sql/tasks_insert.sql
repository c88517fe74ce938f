-- The pool of a sampler, as it will stay.
INSERT INTO trajectories_samplertask (sampler_id, task_id, difficulty, steps)
SELECT %(sampler)s, t.id, t.difficulty, ceil(%(steps_per_oracle_step)s::float8 * t.oracle_steps)::int + %(spare_steps)s
FROM tasks_app_task t WHERE t.id = ANY(%(tasks)s::bigint[])
