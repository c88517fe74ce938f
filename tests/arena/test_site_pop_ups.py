from __future__ import annotations

import pytest

from core.episodes.presentation import AXES, Look, look_make
from gymsite.arena.sites.pop_ups import DUE, FIRST, LATER, MODAL, due, schedule

LOOKS = [look_make(seed=seed, fixed={}, page="site") for seed in range(60)]


def test_every_value_of_the_axis_has_its_schedule() -> None:
    assert set(DUE) == set(AXES["pop_ups"])
    assert schedule(Look()) == ()
    assert {len(schedule(look)) for look in LOOKS} == {0, 2, 5}


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.digest())
def test_pop_ups_come_one_at_a_time_and_never_again(look: Look) -> None:
    closed: set[str] = set()
    for seen in range(20):
        met = due(look, seen=seen, closed=closed)
        if met:
            assert met == due(look, seen=seen, closed=closed)
            closed.add(met)
            assert due(look, seen=seen, closed=closed) != met
    assert closed == {name for name, _ in schedule(look)}


def test_only_the_cookie_banner_covers_a_first_page() -> None:
    assert {due(look, seen=0, closed=()) for look in LOOKS} == {None, FIRST}


def test_looks_show_the_pop_ups_in_more_than_one_order() -> None:
    orders = {tuple(name for name, _ in schedule(look)) for look in LOOKS if look.pop_ups == "often"}
    assert len(orders) > 1
    assert all(set(order) == {FIRST, *LATER} >= MODAL for order in orders)
