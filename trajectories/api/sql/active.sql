-- The limits keep both counts cheap however many rows there are.
SELECT count(*) FROM (
    SELECT 1 FROM trajectories_episode WHERE verdict_id IS NULL LIMIT %(limit)s) AS unfinished
