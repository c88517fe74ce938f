"""Parsing of the view parameters in a page's address."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

PARAMETERS_MAX = 20


def parameters_of(address: str) -> dict[str, str]:
    """Parse an address's parameters; empty if they are unreadable, since agents may write anything."""
    try:
        return dict(parse_qsl(urlsplit(address).query, max_num_fields=PARAMETERS_MAX))
    except ValueError:
        return {}
