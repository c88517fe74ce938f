SELECT h.sha256 FROM unnest(%(hashes)s::text[]) AS h(sha256)
WHERE NOT EXISTS (SELECT FROM ({names}) AS n WHERE n.sha256 = h.sha256)
