from __future__ import annotations

import pytest

from palaestra.protocol.histories import history_read


@pytest.mark.parametrize(
    ("name", "number"), [("full", None), ("diff", None), ("last_k:1", 1), ("last_k:999", 999)]
)
def test_a_history_is_read_by_its_name_and_number(name: str, number: int | None) -> None:
    history = history_read(name)
    assert (history.policy.id, history.number) == (name.split(":", maxsplit=1)[0], number)


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
