SELECT lower(substring(url FROM %(token)s)) FROM trajectories_step
WHERE episode_id = %(episode)s AND url ~ %(token)s ORDER BY index LIMIT 1
