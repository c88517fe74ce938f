UPDATE trajectories_samplertask SET drawn = drawn + 1, last_draw = %(number)s
WHERE sampler_id = %(sampler)s AND task_id = ANY(%(tasks)s::bigint[])
