"""Limits of Postgres's integer columns."""

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1

ID_DIGITS = 18
"""Any number with at most this many digits fits into a ``bigint`` key."""


def is_id(text: str) -> bool:
    """Return whether untrusted text is a possible row id."""
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS
