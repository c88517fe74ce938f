-- Its row says when a blob was last of use, to the hour: nobody prunes it soon after (trajectories/rollouts/retention). Whoever
-- has the bytes may read them from now on.
INSERT INTO trajectories_blob AS b (sha256, size, content_type, projects, created_at, used_at)
VALUES (%(sha256)s, %(size)s, %(content_type)s, CASE WHEN %(is_new)s THEN ARRAY[%(project)s::text] END, now(), now())
ON CONFLICT (sha256) DO UPDATE SET used_at = now(), projects = CASE
    WHEN b.projects IS NULL OR %(project)s = ANY(b.projects) THEN b.projects ELSE b.projects || %(project)s::varchar END
WHERE b.used_at < now() - interval '1 hour' OR NOT %(project)s = ANY(b.projects)
