-- Again for the same episode and history: the newer ones count. Episodes of other runs, or of splits that the key
-- may not read, come back in no row.
INSERT INTO trajectories_promptsize AS p
    (episode_id, history, characters, longest_characters, tokens, longest_tokens)
SELECT e.id, %(history)s, s.characters, s.longest_characters, s.tokens, s.longest_tokens
FROM unnest(%(episodes)s::bigint[], %(characters)s::bigint[], %(longest_characters)s::bigint[],
            %(tokens)s::bigint[], %(longest_tokens)s::bigint[])
    AS s (episode, characters, longest_characters, tokens, longest_tokens)
JOIN trajectories_episode e ON e.id = s.episode AND e.run_id = %(run)s
JOIN tasks_app_task t ON t.id = e.task_id AND (%(splits)s::text[] = '{}' OR t.split = ANY(%(splits)s::text[]))
ON CONFLICT (episode_id, history) DO UPDATE
SET characters = excluded.characters, longest_characters = excluded.longest_characters,
    tokens = excluded.tokens, longest_tokens = excluded.longest_tokens, measured_at = now()
RETURNING p.episode_id
