"""Client networks, which are used to count callers without a key."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

IPV6_PREFIX = 64


def reduce_to_network(address: str) -> str:
    """Return the address, or for IPv6 its /64 network, since a single client usually has all of that."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:  # the mapped IPv4 addresses all share one /64
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed.packed, IPV6_PREFIX), strict=False))
