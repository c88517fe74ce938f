from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from core.draws import Draws


def test_the_same_path_draws_the_same_under_another_hash_seed() -> None:
    script = (
        "from core.draws import Draws; d = Draws(b'seed', 'a', 3);"
        "print(d.whole(0, 10**6), d.shuffled('abcdef'), d.log_whole(3, 60), d.weighted('xyz', [1, 2, 3]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert outputs == {"90679 ['b', 'a', 'f', 'e', 'd', 'c'] 16 x\n"}


def test_a_place_does_not_depend_on_what_is_drawn_elsewhere() -> None:
    one, other = Draws(1), Draws(1)
    other.whole(0, 9)
    assert one.at("x").share() == other.at("x").share()
    assert one.at("x").share() != one.at("y").share()


def test_draws_are_uniform() -> None:
    draws = Draws("even")
    assert set(Counter(draws.whole(1, 6) for _ in range(6000)).values()) <= set(range(850, 1150))
    picked = Counter(draws.weighted("ab", [1, 3]) for _ in range(4000))
    assert 2800 < picked["b"] < 3200


def test_log_draws_stay_within_their_bounds() -> None:
    drawn = [Draws("log", n).log_whole(3, 60) for n in range(3000)]
    assert min(drawn) == 3
    assert max(drawn) == 60
    below = sum(value <= 13 for value in drawn)
    assert 1350 < below < 1650


def test_a_sample_has_no_option_twice() -> None:
    assert len(set(Draws(2).sample(range(10), 10))) == 10
    with pytest.raises(ValueError, match="11 of 10"):
        Draws(2).sample(range(10), 11)
