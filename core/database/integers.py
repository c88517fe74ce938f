"""The range of Postgres' integer columns."""

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1

ID_DIGITS = 18
"""Every number of at most this many digits fits a ``bigint`` key."""


def is_id(text: str) -> bool:
    """Return whether a text from outside can be a row's id."""
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS
