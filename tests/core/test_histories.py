from __future__ import annotations

import pytest

from core.histories import history_read
from palaestra import setups


@pytest.mark.parametrize(
    ("name", "number"), [("full", None), ("diff", None), ("last_k:1", 1), ("last_k:999", 999)]
)
def test_a_history_is_read_alike_on_both_sides(name: str, number: int | None) -> None:
    server, client = history_read(name), setups.history_read(name)
    assert (
        (server.policy.id, server.number) == (client.policy.id, client.number) == (name.split(":")[0], number)
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fulll", "Did you mean full"),
        ("last_k", "for example last_k:3"),
        ("last_k:0", "last_k:3"),
        ("last_k:1000", "last_k:3"),
        ("lastk:4", "Did you mean last_k:3"),
        ("full:3", "Did you mean full"),
        ("", "Known: diff, full, last_k:3"),
        ("last_k:٣", "last_k:3"),
    ],
)
def test_a_name_that_is_no_history_is_refused_with_what_to_write(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        history_read(name)
    with pytest.raises(ValueError, match="Known"):
        setups.history_read(name)
