-- Who asks for a blob may name it next: it counts as used. Rows are locked in one order.
WITH old AS (
    SELECT b.sha256 FROM trajectories_blob b
    WHERE b.sha256 = ANY(%(hashes)s) AND b.used_at < now() - interval '1 hour' ORDER BY b.sha256 FOR UPDATE
), used AS (
    UPDATE trajectories_blob b SET used_at = now() FROM old WHERE b.sha256 = old.sha256
)
SELECT b.sha256, b.size, coalesce(%(project)s = ANY(b.projects), true)
FROM trajectories_blob b WHERE b.sha256 = ANY(%(hashes)s)
