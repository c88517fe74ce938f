SELECT b.created_at, b.sha256 FROM trajectories_blob b
WHERE b.content_type LIKE 'image/%%' AND b.created_at >= %(since)s
    AND b.created_at < now() - make_interval(secs => %(late)s)
    AND NOT EXISTS (SELECT FROM trajectories_picture p WHERE p.sha256 = b.sha256)
ORDER BY b.created_at, b.sha256 LIMIT %(limit)s
