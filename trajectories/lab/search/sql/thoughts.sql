SELECT s.episode_id, s.index, left(s.thought, %(chars)s), s.action_type, f.action_check
FROM unnest(%(episodes)s::bigint[], %(indexes)s::int[]) AS hits(episode_id, index)
JOIN trajectories_step s USING (episode_id, index) JOIN trajectories_stepfacts f USING (episode_id, index)
