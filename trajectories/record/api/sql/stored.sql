SELECT request_hash, status, body FROM trajectories_idempotentcall
WHERE api_key_id = %(api_key)s AND key = %(key)s
