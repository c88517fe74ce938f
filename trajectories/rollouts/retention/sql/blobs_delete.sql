-- Rows are locked in the order of uploads; one that an upload has just touched is looked at again, and stays.
DELETE FROM trajectories_blob b USING (
    SELECT o.sha256 FROM trajectories_blob o
    WHERE o.sha256 = ANY(%(hashes)s) AND o.used_at < now() - make_interval(days => %(days)s)
    ORDER BY o.sha256 FOR UPDATE) AS old
WHERE b.sha256 = old.sha256 RETURNING b.sha256
