from __future__ import annotations

import pytest

from core.web.networks import reduce_to_network

CASES = [
    ("10.0.0.1", "10.0.0.1"),
    ("::ffff:10.0.0.1", "10.0.0.1"),
    ("2001:db8:0:1:ffff::1", "2001:db8:0:1::/64"),
    ("2001:DB8:0:1::2", "2001:db8:0:1::/64"),
    ("unix", "unix"),
    ("", ""),
]


@pytest.mark.parametrize(("address", "network"), CASES)
def test_a_client_has_one_address_or_the_network_of_its_own(address: str, network: str) -> None:
    assert reduce_to_network(address) == network
