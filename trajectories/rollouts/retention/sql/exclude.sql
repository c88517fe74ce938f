INSERT INTO excluded SELECT unnest(%(ids)s::bigint[]), %(has_row)s, %(has_screenshots)s, %(has_recordings)s
ON CONFLICT DO NOTHING
