-- Of each task and history; tokens only where they are known of all its episodes.
SELECT e.task_id, p.history, count(*), sum(p.characters)::bigint, max(p.longest_characters),
    CASE WHEN count(p.tokens) = count(*) THEN sum(p.tokens)::bigint END,
    CASE WHEN count(p.tokens) = count(*) THEN max(p.longest_tokens) END
FROM trajectories_episode e
JOIN trajectories_promptsize p ON p.episode_id = e.id
WHERE e.run_id = %(run)s AND e.task_id = ANY(%(tasks)s::bigint[])
GROUP BY e.task_id, p.history ORDER BY e.task_id, p.history
