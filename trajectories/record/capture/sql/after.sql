SELECT b.created_at, b.sha256, p.sha256 IS NULL FROM (
    SELECT created_at, sha256 FROM trajectories_blob
    WHERE content_type LIKE 'image/%%' AND (created_at, sha256) > (%(since)s, %(key)s)
        AND created_at < now() - make_interval(secs => %(age)s)
    ORDER BY created_at, sha256 LIMIT %(limit)s) b
LEFT JOIN trajectories_picture p ON p.sha256 = b.sha256
ORDER BY b.created_at, b.sha256
