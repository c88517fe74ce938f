"""Numbers as a page writes them."""

from __future__ import annotations


def numeral(value: float, specification: str) -> str:
    """``format(value, specification)`` with a minus and not a hyphen."""
    return format(value, specification).replace("-", "−")
