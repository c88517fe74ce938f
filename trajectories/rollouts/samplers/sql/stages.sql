-- The stage of each task of a sampler, by id; 0 without one. A column as in pool.sql.
SELECT string_agg(int4send(coalesce((SELECT min(substr(tag, length(%(mark)s) + 1)::int) FROM unnest(k.tags) tag
    WHERE starts_with(tag, %(mark)s) AND tag ~ ':[1-9][0-9]{0,3}$'), 0)), '' ORDER BY t.task_id)
FROM trajectories_samplertask t JOIN tasks_app_task k ON k.id = t.task_id WHERE t.sampler_id = %(sampler)s
