UPDATE trajectories_idempotentcall SET status = %(status)s, body = %(body)s WHERE id = %(id)s
