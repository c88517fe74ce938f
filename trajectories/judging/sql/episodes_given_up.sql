-- By way of the takeovers: few episodes have one. A later takeover may have followed by the API alone.
SELECT e.run_id, e.id FROM trajectories_takeover t JOIN trajectories_episode e ON e.id = t.episode_id
WHERE t.ended_as = 'given_up' AND e.status = 'open'
