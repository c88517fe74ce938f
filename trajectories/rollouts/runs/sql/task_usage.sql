-- What the judged episodes of a run's tasks used.
SELECT e.task_id,
    count(*),
    count(*) FILTER (WHERE s.parse_error = ''),
    count(*) FILTER (WHERE s.parse_error = '' AND s.action_result = 'ok'),
    coalesce(sum((s.more #>> '{usage,prompt}')::bigint), 0)::bigint,
    coalesce(sum((s.more #>> '{usage,completion}')::bigint), 0)::bigint,
    coalesce(sum((s.more #>> '{usage,reasoning}')::bigint), 0)::bigint,
    coalesce(sum((s.more #>> '{usage,cached}')::bigint), 0)::bigint,
    coalesce(max((s.more #>> '{usage,prompt}')::bigint), 0)::bigint,
    count(*) FILTER (WHERE s.more #>> '{usage,completion}' IS NULL)
FROM trajectories_episode e
JOIN trajectories_verdict v ON v.id = e.verdict_id AND v.outcome <> 'void'
JOIN trajectories_step s ON s.episode_id = e.id
WHERE e.run_id = %(run)s AND e.task_id = ANY(%(tasks)s::bigint[])
GROUP BY e.task_id
