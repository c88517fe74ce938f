INSERT INTO trajectories_idempotentcall AS stored (api_key_id, key, request_hash, created_at)
VALUES (%(api_key)s, %(key)s, %(hash)s, clock_timestamp())
ON CONFLICT (api_key_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, status = NULL, body = NULL, created_at = excluded.created_at
    WHERE stored.created_at < clock_timestamp() - interval '{hours} hours'
RETURNING stored.id
