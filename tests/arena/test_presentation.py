from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from gymsite.core.errors import GymError
from gymsite.core.presentation import ALL_LOOKS, AXES, AXES_BESIDE_LOOKS, Look, look_make, look_read
from trajectories.recording import looks

GOLDEN: dict[int, dict[str, object]] = {
    1: {"theme": "light", "font": "mono", "layout": "wide", "zoom": 90, "wording": "prompt"},
    2: {"theme": "light", "font": "serif", "layout": "plain", "zoom": 100, "wording": "prompt"},
}


def test_a_seed_gives_the_same_look_in_another_process() -> None:
    script = "from gymsite.core.presentation import look_make; print(look_make(seed=7, fixed={}).digest())"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert other.stdout.strip() == look_make(seed=7, fixed={}).digest()


def test_looks_of_seeds_are_frozen_for_all_time() -> None:
    assert look_make(seed=1, fixed={}) == Look(**GOLDEN[1])  # type: ignore[arg-type]
    assert look_make(seed=2, fixed={}) == Look(**GOLDEN[2])  # type: ignore[arg-type]


@pytest.mark.parametrize("axis", list(ALL_LOOKS))
def test_every_value_of_an_axis_is_drawn_about_equally_often(axis: str) -> None:
    drawn = Counter(look_make(seed=seed, fixed={}).as_dict()[axis] for seed in range(2000))

    assert set(drawn) == set(ALL_LOOKS[axis])
    assert min(drawn.values()) > 0.8 * 2000 / len(ALL_LOOKS[axis])


def test_fixing_one_axis_leaves_the_others_as_drawn() -> None:
    for seed in range(50):
        free = look_make(seed=seed, fixed={}).as_dict()
        fixed = look_make(seed=seed, fixed={"theme": "dark", "zoom": 125}).as_dict()
        assert fixed == free | {"theme": "dark", "zoom": 125}


def test_a_stored_look_is_read_back_equal_and_missing_axes_are_neutral() -> None:
    look = look_make(seed=11, fixed={})

    assert look_read(look.as_dict()) == look
    assert look_read({}) == Look()
    assert look_read({"font": "mono"}) == Look(font="mono")


def test_the_neutral_look_is_the_first_value_of_every_axis() -> None:
    assert Look().as_dict() == {axis: values[0] for axis, values in ALL_LOOKS.items()}


def test_different_looks_have_different_digests() -> None:
    digests = {
        look_make(seed=0, fixed={"theme": t, "zoom": z}).digest()
        for t in ("light", "dark")
        for z in (90, 100)
    }
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("fixed", "code", "hint"),
    [
        ({"tehme": "dark"}, "unknown_look_axis", "theme"),
        ({"theme": "drak"}, "unknown_look_value", "dark"),
        ({"zoom": 101}, "unknown_look_value", "100"),
        ({"zoom": True}, "unknown_look_value", "Known"),
        ({"zoom": None}, "unknown_look_value", "Known"),
        ({"font": ["sans"]}, "unknown_look_value", "sans"),
        ({"zoom": "90"}, "unknown_look_value", 'A number is meant: 90, not "90".'),
        ({"zoom": "large"}, "unknown_look_value", "A number is meant: 90, 100, 125."),
    ],
)
def test_an_unknown_axis_or_value_is_refused_with_a_suggestion(
    fixed: dict[str, object], code: str, hint: str
) -> None:
    with pytest.raises(GymError) as caught:
        look_make(seed=1, fixed=fixed)

    assert caught.value.code == code
    assert caught.value.status == 422
    assert hint in caught.value.message


def test_an_unknown_axis_is_told_all_that_a_presentation_may_name() -> None:
    with pytest.raises(GymError) as caught:
        look_make(seed=1, fixed={"choice_order": "source"})

    known = "choices, editor, font, instruction, layout, theme, wording, zoom"
    message = f"A presentation has no axis 'choice_order'. Its axes are {known}."
    assert caught.value.message == message
    assert caught.value.fields == {"presentation": [message]}


def test_the_axes_beside_the_looks_are_those_that_opening_takes() -> None:
    assert looks.OWN_AXES == AXES_BESIDE_LOOKS
    assert not AXES_BESIDE_LOOKS & set(AXES)
