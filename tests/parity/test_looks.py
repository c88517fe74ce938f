from __future__ import annotations

import math

from gymsite.core.presentation import ALL_LOOKS
from gymsite.parity.looks import covering_looks, every_look


def test_every_look_is_the_product_of_the_axes() -> None:
    assert len(set(every_look())) == math.prod(len(values) for values in ALL_LOOKS.values())


def test_each_item_meets_every_value_of_every_axis() -> None:
    for item in range(60):
        looks = [look.as_dict() for look in covering_looks(item)]
        for axis, values in ALL_LOOKS.items():
            assert {look[axis] for look in looks} == set(values)


def test_items_together_meet_every_look() -> None:
    assert {look for item in range(54) for look in covering_looks(item)} == set(every_look())


def test_only_pages_with_an_editor_are_shown_with_each() -> None:
    assert {look.editor for look in every_look("choice")} == {"plain"}
    assert set(every_look("code")) > set(every_look())
    for item in range(10):
        met = {(look.theme, look.editor) for look in covering_looks(item, "code")}
        assert met == {(theme, editor) for theme in ("light", "dark") for editor in ("plain", "codemirror")}
