-- What a sampler knows of prefixes. Columns as in pool.sql.
SELECT string_agg(int8send(task_id), ''), string_agg(int4send(steps), ''), string_agg(int4send(judged), ''),
    string_agg(int4send(correct), '')
FROM trajectories_samplerprefix WHERE sampler_id = %(sampler)s
