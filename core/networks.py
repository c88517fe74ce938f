"""The network of a client, which counts as one caller where callers are counted by address."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

IPV6_PREFIX = 64


def network_of(address: str) -> str:
    """Return the address, or the network of IPv6, where a single client has all addresses of a /64."""
    try:
        place = ip_address(address)
    except ValueError:
        return address
    if not isinstance(place, IPv6Address):
        return address
    if place.ipv4_mapped is not None:  # all of these share one /64
        return str(place.ipv4_mapped)
    return str(ip_network((place.packed, IPV6_PREFIX), strict=False))
