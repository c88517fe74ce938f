SELECT before + 1, index - 1 FROM (
    SELECT index, lag(index, 1, 0) OVER (ORDER BY index) AS before
    FROM trajectories_step WHERE episode_id = %(episode)s AND index <= %(last)s) s
WHERE index > before + 1 ORDER BY index - before DESC, index LIMIT %(most)s
