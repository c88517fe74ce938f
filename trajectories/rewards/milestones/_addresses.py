"""View parameters in a page's address."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

PARAMETERS_MAX = 20


def parameters_of(address: str) -> dict[str, str]:
    """Parse the parameters of an address, which an agent wrote and may be anything; none if unreadable."""
    try:
        return dict(parse_qsl(urlsplit(address).query, max_num_fields=PARAMETERS_MAX))
    except ValueError:
        return {}
