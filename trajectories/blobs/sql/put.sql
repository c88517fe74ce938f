-- Its row says when a blob was last of use, to the hour: nobody prunes it soon after (trajectories/retention).
INSERT INTO trajectories_blob AS b (sha256, size, content_type, created_at, used_at)
VALUES (%(sha256)s, %(size)s, %(content_type)s, now(), now())
ON CONFLICT (sha256) DO UPDATE SET used_at = now() WHERE b.used_at < now() - interval '1 hour'
