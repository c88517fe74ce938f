-- Bounded by what is unfinished in the installation (ACTIVE_EPISODES_MAX), not by the run.
SELECT arm, count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'submitted'),
    count(*) FILTER (WHERE guidance IS NOT NULL)
FROM trajectories_episode WHERE run_id = %(run)s AND verdict_id IS NULL GROUP BY arm
