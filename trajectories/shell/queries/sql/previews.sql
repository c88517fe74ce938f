-- For each place, in their order: the step itself, or the last where none is given, with the answer.
SELECT s.index, left(coalesce(s.thought, ''), %(chars)s), coalesce(s.action_type, ''),
    coalesce(f.action_check, ''), coalesce(s.screenshot, ''),
    left(coalesce(x.answer #>> '{}', ''), %(answer_chars)s),
    coalesce(to_jsonb(a) - '{action_types,first_unexplained}'::text[], '{}'::jsonb)
FROM unnest(%(episodes)s::bigint[], %(indexes)s::int[]) WITH ORDINALITY AS p(episode_id, index, place)
LEFT JOIN trajectories_step s ON s.episode_id = p.episode_id AND s.index = coalesce(
    p.index, (SELECT max(l.index) FROM trajectories_step l WHERE l.episode_id = p.episode_id)
)
LEFT JOIN trajectories_stepfacts f ON f.episode_id = s.episode_id AND f.index = s.index
LEFT JOIN trajectories_submission x ON x.episode_id = p.episode_id
LEFT JOIN trajectories_episodefacts a ON a.episode_id = p.episode_id
ORDER BY p.place
