-- Columns, each as the binary forms of its values one after another (numbers of 8 and 4 bytes): to write and to read
-- ten thousand rows as text costs several times as much.
SELECT string_agg(int8send(task_id), ''), string_agg(float8send(coalesce(difficulty, 'NaN')), ''),
    string_agg(int4send(steps), ''), string_agg(float8send(correct), ''), string_agg(float8send(incorrect), ''),
    string_agg(int4send(judged), ''), string_agg(int4send(failures), ''), string_agg(int4send(longest), ''),
    string_agg(int4send(drawn), '')
FROM (SELECT * FROM trajectories_samplertask WHERE sampler_id = %(sampler)s ORDER BY task_id) t
