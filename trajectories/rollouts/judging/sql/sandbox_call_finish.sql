SELECT sandbox.call_finish(%(episode)s::bigint, %(number)s::int, %(status)s::text, %(output)s::text)
