SELECT * FROM sandbox.claim(%(episode)s::bigint, %(claims_max)s::int, %(lost)s::float8, %(worker)s::int)
