-- The first step of each episode that has the action and the outcome of its check; either may be null.
SELECT e.id, s.index FROM unnest(%(episodes)s::bigint[]) AS e(id) CROSS JOIN LATERAL (
    SELECT f.index FROM trajectories_stepfacts f
    WHERE f.episode_id = e.id AND (%(action)s::text IS NULL OR f.action_type = %(action)s)
        AND (%(action_check)s::text IS NULL OR f.action_check = %(action_check)s)
    ORDER BY f.index LIMIT 1
) s
