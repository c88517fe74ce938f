from __future__ import annotations

from itertools import combinations, product

from core.episodes.presentation import AXES_DRAWN
from validation.parity.looks import covering_looks, pairing_looks

AXES = AXES_DRAWN["question"]


def test_each_item_is_shown_in_every_value_of_every_axis() -> None:
    for item in range(60):
        looks = [look.as_dict() for look in covering_looks(item)]
        for axis, values in AXES.items():
            assert {look[axis] for look in looks} == set(values)


def test_consecutive_items_are_shown_in_different_looks() -> None:
    assert len({look for item in range(50) for look in covering_looks(item)}) == 200


def test_every_value_of_an_axis_is_combined_with_every_value_of_the_others() -> None:
    looks = [look.as_dict() for look in pairing_looks()]

    for one, other in combinations(AXES, 2):
        assert {(look[one], look[other]) for look in looks} == set(product(AXES[one], AXES[other]))
    assert len(looks) < 150


def test_only_pages_with_an_editor_are_shown_in_every_editor() -> None:
    assert {look.editor for look in covering_looks(0, "choice")} == {"plain"}
    assert {look.editor for look in pairing_looks("code")} == {"plain", "codemirror"}
    for item in range(10):
        looks = covering_looks(item, "code")
        assert {(look.theme, look.editor) for look in looks} == set(
            product(("light", "dark"), ("plain", "codemirror"))
        )
