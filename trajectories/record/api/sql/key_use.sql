-- A valid key by its digest; that it was used is noted once a minute.
WITH used AS (
    UPDATE trajectories_apikey SET used_at = now()
    WHERE digest = %(digest)s AND revoked_at IS NULL
        AND (used_at IS NULL OR used_at < now() - interval '1 minute')
)
SELECT id, name, scopes, splits, project FROM trajectories_apikey WHERE digest = %(digest)s AND revoked_at IS NULL
