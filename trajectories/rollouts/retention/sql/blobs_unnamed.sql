SELECT h.sha256 FROM unnest(%(hashes)s::text[]) AS h(sha256) LEFT JOIN trajectories_blob b USING (sha256)
WHERE NOT EXISTS (SELECT FROM blob_names n WHERE n.sha256 = h.sha256)
    AND (b.sha256 IS NULL OR b.used_at < now() - make_interval(days => %(days)s))
