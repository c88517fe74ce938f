-- Whether it was sent need not be on disk: it is sent again then.
WITH asynchronous AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE trajectories_submission SET sent_at = clock_timestamp(), sends = sends + 1
FROM asynchronous WHERE episode_id = ANY(%(episodes)s) AND judged_at IS NULL
