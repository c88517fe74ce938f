-- Groups whose episodes have all ended a while ago, with these episodes.
SELECT g.id, array_agg(e.id) FILTER (WHERE e.id IS NOT NULL)
FROM trajectories_group g LEFT JOIN trajectories_episode e ON e.group_id = g.id WHERE g.id = ANY(%(groups)s)
GROUP BY g.id
HAVING coalesce(bool_and(e.verdict_id IS NOT NULL AND e.finished_at < now() - make_interval(secs => %(settled)s))
    FILTER (WHERE e.id IS NOT NULL), true)
