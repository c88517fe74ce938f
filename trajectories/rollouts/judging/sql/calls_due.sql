SELECT episode_id, number FROM trajectories_toolcall
WHERE status = 'waiting' AND created_at > now() - make_interval(secs => %(timeout)s)
    AND (sent_at IS NULL OR sent_at < now() - make_interval(secs => %(after)s))
ORDER BY created_at, episode_id, number LIMIT %(batch)s
