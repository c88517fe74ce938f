-- A draw, what it did to its tasks, and how far the sampler is with it.
WITH drawn AS (
    UPDATE trajectories_samplertask SET drawn = drawn + 1
    WHERE sampler_id = %(sampler)s AND task_id = ANY(%(tasks)s::bigint[])
), counted AS (
    UPDATE trajectories_sampler SET draws = %(number)s, position = %(position)s WHERE id = %(sampler)s
)
INSERT INTO trajectories_samplerdraw (sampler_id, number, position, policy_version, items, summary)
VALUES (%(sampler)s, %(number)s, %(position)s, %(policy_version)s, %(items)s::jsonb, %(summary)s::jsonb)
RETURNING id, created_at
