"""What Postgres' integer columns hold."""

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1

ID_DIGITS = 18
"""Every number of so many digits is a key that a ``bigint`` column can hold."""


def is_id(text: str) -> bool:
    """Whether a text from outside can be the number of a row."""
    return text.isascii() and text.isdigit() and len(text) <= ID_DIGITS
