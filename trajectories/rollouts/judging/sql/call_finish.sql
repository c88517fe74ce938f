UPDATE trajectories_toolcall SET status = %(status)s, output = %(output)s::jsonb, finished_at = now()
WHERE episode_id = %(episode)s AND number = %(number)s AND status = 'running'
