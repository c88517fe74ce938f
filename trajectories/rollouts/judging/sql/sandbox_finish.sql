SELECT ended, pg_notify('{channel}', '') FROM sandbox.finish(%(run)s::bigint, %(endings)s::text) ended
