SELECT * FROM sandbox.call_claim(%(episode)s::bigint, %(number)s::int, %(timeout)s::float8)
