-- By way of the takeovers: few episodes have one. A later takeover may have followed by the API alone.
SELECT e.run_id, e.id, t.detail FROM trajectories_takeover t JOIN trajectories_episode e ON e.id = t.episode_id
WHERE {is_last} AND e.status = 'open'
