-- At most once: a call whose worker dies is lost, and its page says so after the time-out.
UPDATE trajectories_toolcall c SET status = 'running', claimed_at = now()
FROM trajectories_episode e
JOIN tasks_app_task t ON t.id = e.task_id
LEFT JOIN tasks_app_gold g ON g.task_id = t.id AND g.is_current
WHERE c.episode_id = %(episode)s AND c.number = %(number)s AND c.status = 'waiting' AND e.id = c.episode_id
    AND c.created_at > now() - make_interval(secs => %(timeout)s)
RETURNING c.input, t.payload::text, e.variation::text, coalesce(g.extra->>'setup', '')
