UPDATE trajectories_toolcall c SET sent_at = now()
FROM unnest(%(episodes)s::bigint[], %(numbers)s::int[]) AS s(episode_id, number)
WHERE (c.episode_id, c.number) = (s.episode_id, s.number)
