"""The largest numbers that Postgres' integer columns hold."""

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1
