"""What the address of a page says of its view."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

PARAMETERS_MAX = 20


def parameters_of(address: str) -> dict[str, str]:
    """The parameters of an address, which is an agent's and may be anything; none of one without sense."""
    try:
        return dict(parse_qsl(urlsplit(address).query, max_num_fields=PARAMETERS_MAX))
    except ValueError:
        return {}
