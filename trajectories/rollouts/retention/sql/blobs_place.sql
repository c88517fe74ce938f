-- A file without a row gets one that nobody ever used, for this transaction: an upload of its bytes waits.
INSERT INTO trajectories_blob (sha256, size, content_type, created_at, used_at)
SELECT h.sha256, 0, '', now(), '-infinity' FROM unnest(%(hashes)s::text[]) AS h(sha256)
ON CONFLICT DO NOTHING
