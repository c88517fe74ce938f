from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from core.episodes.presentation import (
    AXES,
    AXES_BESIDE_LOOKS,
    AXES_DRAWN,
    ROTATION,
    Look,
    look_make,
    look_read,
    look_rotate,
)
from core.errors import GymError
from palaestra.protocol.looks import PageKind
from trajectories.record.prompts import conversation
from trajectories.rollouts.episodes import variations

GOLDEN: dict[str, dict[str, object]] = {
    "question": {
        "theme": "dark",
        "contrast": "normal",
        "accent": "blue",
        "font": "mono",
        "zoom": 90,
        "density": "compact",
        "layout": "plain",
        "form": "dialog",
        "panels": "one",
        "pop_ups": "none",
        "slow": "short",
        "wording": "question",
    },
    "site": {
        "theme": "light",
        "contrast": "high",
        "accent": "green",
        "font": "sans",
        "zoom": 100,
        "density": "roomy",
        "layout": "card",
        "form": "below",
        "panels": "none",
        "pop_ups": "early",
        "slow": "long",
        "labels": "plain",
        "listing": "table",
        "sections": "usual",
        "paging": "pages",
        "time_zone": "Europe/Berlin",
        "locale": "en-GB",
    },
}
PAGES: tuple[PageKind, ...] = ("question", "site")


def test_a_seed_gives_the_same_look_in_another_process() -> None:
    script = "from core.episodes.presentation import look_make; print(look_make(seed=7, fixed={}).digest())"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert other.stdout.strip() == look_make(seed=7, fixed={}).digest()


def test_a_look_has_every_axis() -> None:
    assert list(vars(Look())) == list(AXES)


@pytest.mark.parametrize("page", PAGES)
def test_the_looks_of_seeds_never_change(page: PageKind) -> None:
    assert look_make(seed=PAGES.index(page) + 1, fixed={}, page=page).as_dict(page) == GOLDEN[page]


@pytest.mark.parametrize("page", PAGES)
def test_every_value_of_an_axis_is_drawn_about_equally_often(page: PageKind) -> None:
    looks_drawn = [look_make(seed=seed, fixed={}, page=page).as_dict(page) for seed in range(1000)]

    for axis, values in AXES_DRAWN[page].items():
        drawn = Counter(look[axis] for look in looks_drawn)
        assert set(drawn) == set(values)
        assert min(drawn.values()) > 0.75 * 1000 / len(values)


def test_axes_of_other_pages_stay_neutral() -> None:
    for seed in range(50):
        assert set(look_make(seed=seed, fixed={}).as_dict()) == set(AXES_DRAWN["question"])
        assert look_make(seed=seed, fixed={}, page="site").wording == Look().wording


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("seed", range(30))
def test_a_rotation_has_twelve_looks_with_each_value_equally_often(seed: int, page: PageKind) -> None:
    for first in (0, ROTATION):
        turn = [look_rotate(seed=seed, place=first + n, fixed={}, page=page) for n in range(ROTATION)]
        assert len(set(turn)) == ROTATION
        for axis, values in AXES_DRAWN[page].items():
            assert set(Counter(look.as_dict(page)[axis] for look in turn).values()) == {
                ROTATION // len(values)
            }


def test_fixing_an_axis_of_a_rotation_leaves_the_others() -> None:
    free = look_rotate(seed=3, place=5, fixed={}).as_dict()

    assert look_rotate(seed=3, place=5, fixed={"font": "mono"}).as_dict() == free | {"font": "mono"}


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
    assert Look().as_dict() == {axis: values[0] for axis, values in AXES_DRAWN["question"].items()}
    assert Look() == look_read({axis: values[0] for axis, values in AXES.items()})


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
        ({"zoom": "90"}, "unknown_look_value", 'Send the number 90, not the text "90".'),
        ({"zoom": "large"}, "unknown_look_value", "Send a number: 90, 100, 125."),
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


def test_the_error_for_an_unknown_axis_lists_all_axes() -> None:
    with pytest.raises(GymError) as caught:
        look_make(seed=1, fixed={"choice_order": "source"})

    known = ", ".join(sorted({*AXES, *AXES_BESIDE_LOOKS}))
    message = f"A presentation has no axis 'choice_order'. Its axes are {known}."
    assert {"theme", "instruction", "editor"} < set(known.split(", "))
    assert caught.value.message == message
    assert caught.value.fields == {"presentation": [message]}


def test_the_axes_outside_the_looks_are_those_that_opening_accepts() -> None:
    own_axes = {"instruction", variations.CHOICES_AXIS, variations.TASK_BAR_AXIS, conversation.TEXT_AXIS}
    assert own_axes == AXES_BESIDE_LOOKS
    assert not AXES_BESIDE_LOOKS & set(AXES)
