from __future__ import annotations

from collections import Counter

import pytest

from palaestra.errors import PalaestraError
from palaestra.evaluation.looks import AXES, assign_looks, look_digest, looks_make
from palaestra.protocol.looks import axes_of

FACTORS = {name: axis.values for name, axis in AXES.items()}
TWO = {name: AXES[name].values for name in ("font", "theme")}


@pytest.mark.parametrize("count", [5, 8, 12, 24])
def test_a_latin_design_has_every_value_equally_often(count: int) -> None:
    looks = looks_make("latin", count=count, factors=FACTORS, seed=3)
    assert len(looks) == count
    for name, axis in AXES.items():
        counts = Counter(look[name] for look in looks)
        assert max(counts.values()) - min(counts[value] for value in axis.values) <= 1, name


def test_factors_that_are_not_named_stay_neutral() -> None:
    for look in looks_make("latin", count=12, factors=TWO, seed=1):
        assert all(look[name] == axis.values[0] for name, axis in AXES.items() if name not in TWO)


def test_a_full_design_has_every_combination_once() -> None:
    looks = looks_make("full", count=None, factors=TWO, seed=1)
    assert len({(look["font"], look["theme"]) for look in looks}) == len(looks) == 3 * 2


def test_one_factor_at_a_time_departs_from_the_neutral_look_in_one_axis() -> None:
    looks = looks_make("one_factor", count=None, factors=TWO, seed=1)
    departures = [[name for name, axis in AXES.items() if look[name] != axis.values[0]] for look in looks]
    assert departures[0] == []
    assert sorted(departures[1:]) == [["font"], ["font"], ["theme"]]


def test_designs_follow_from_their_seed() -> None:
    assert looks_make("latin", count=12, factors=FACTORS, seed=1) == looks_make(
        "latin", count=12, factors=FACTORS, seed=1
    )
    assert looks_make("latin", count=12, factors=FACTORS, seed=1) != looks_make(
        "latin", count=12, factors=FACTORS, seed=2
    )


def test_a_design_of_too_many_looks_is_refused() -> None:
    with pytest.raises(PalaestraError, match="name fewer factors"):
        looks_make("full", count=None, factors=FACTORS, seed=1)
    with pytest.raises(PalaestraError, match="has 6 looks, not 7"):
        looks_make("full", count=7, factors=TWO, seed=1)


@pytest.mark.parametrize(("count", "samples"), [(12, 4), (12, 5), (7, 3), (3, 8), (1, 2)])
def test_all_looks_meet_equally_many_items_and_an_item_none_twice(count: int, samples: int) -> None:
    places = assign_looks(count, samples=samples, items=10 * count, seed=5)
    total = Counter(place for item in places for place in item)
    assert set(total.values()) == {10 * samples}
    for item in places:
        counts = Counter(item)
        assert max(counts.values()) - min(counts[place] for place in range(count)) <= 1


def test_a_look_is_the_same_to_the_server_whatever_its_page_does_not_have() -> None:
    look = looks_make("latin", count=1, factors=FACTORS, seed=1)[0]
    other = {**look, **{name: AXES[name].values[-1] for name in set(AXES) - set(axes_of("question"))}}
    assert look_digest(look, "question") == look_digest(other, "question")
    assert look_digest(look, "site") != look_digest(other, "site")
