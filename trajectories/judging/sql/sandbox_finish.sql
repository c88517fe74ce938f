SELECT * FROM sandbox.finish(%(run)s::bigint, %(endings)s::text)
