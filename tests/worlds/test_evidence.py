"""Which needs follow from the facts that pages told."""

from __future__ import annotations

import pytest

from tasks_app.worlds.evidence import Shown

ROOM = "listing/L-1/room/R-1"
SUM = f"{ROOM}/price/2033-03-04/2033-03-07"
NONE = f"{ROOM}/none_free/2033-03-01/2033-03-03/5"


@pytest.mark.parametrize(
    ("facts", "is_met"),
    [
        ([], False),
        (["price/2033-03-04/2033-03-07"], True),
        (["prices/2033-03-01/2033-03-31"], True),
        (["price/2033-03-04/2033-03-05", "price/2033-03-05/2033-03-07"], True),
        (["price/2033-03-04/2033-03-09", "prices/2033-03-07/2033-03-09"], True),
        (["price/2033-03-01/2033-03-31"], False),
        (["prices/2033-03-04/2033-03-06"], False),
        (["full/2033-03-04/2033-03-07"], False),
    ],
)
def test_a_sum_of_nights_follows_from_any_sums_that_give_it(facts: list[str], is_met: bool) -> None:
    assert Shown(f"{ROOM}/{fact}" for fact in facts).meets(SUM) == is_met
    assert not Shown(f"listing/L-1/room/R-2/{fact}" for fact in facts).meets(SUM)


@pytest.mark.parametrize(
    ("facts", "is_met"),
    [
        ([], False),
        (["full/2033-03-03/2033-03-04"], True),
        (["full/2033-03-01/2033-03-06", "full/2033-03-02/2033-03-07"], True),
        (["full/2033-03-01/2033-03-06"], False),
        (["full/2033-02-27/2033-03-06"], False),
        (["fulls/2033-02-27/2033-03-03"], True),
        (["prices/2033-02-27/2033-03-31"], False),
    ],
)
def test_that_no_stretch_is_free_follows_from_a_taken_night_in_each(facts: list[str], is_met: bool) -> None:
    assert Shown(f"{ROOM}/{fact}" for fact in facts).meets(NONE) == is_met


def test_one_of_several_ways_of_showing_a_thing_is_enough() -> None:
    need = "review V1 more or review V1 reply"
    assert Shown(["review V1 reply"]).meets(need)
    assert not Shown(["review V1"]).meets(need)
