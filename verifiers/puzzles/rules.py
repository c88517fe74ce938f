"""The rule for each dataset of ``reasoning-gym`` 0.1.25.

A dataset whose scorer compares text (exactly, or ignoring case or white space) is judged by the same
comparison here. A scorer that plays a puzzle through is run in the sandbox, and only on answers of one shape.
The other datasets have rules of our own. At a score of 1.0, the package's scorers also accept:

- any text: ``game_of_life_halting``; ``polynomial_equations`` where there is no solution;
- one text for every item: ``nan`` (``complex_arithmetic``), any number where the gold is -1
  (``calendar_arithmetic``), zero where a probability is small (``coin_flip``), four numbers that were not
  given (``puzzle24``), the question itself as ``Integral(...)`` (both integrations);
- the right answer among others, or with additional text: ``advanced_geometry``, ``figlet_font``,
  ``fraction_simplification``, ``game_of_life``, ``gsm_symbolic``, ``kakurasu``, ``knights_knaves``,
  ``letter_jumble``, ``polynomial_equations``, ``quantum_lock``, ``sokoban``, ``spell_backward``, ``survo``,
  ``time_intervals``;
- impossible moves, which are skipped (``rush_hour``, ``sokoban``), so that a random walk of 4,000 moves
  solves a fifth of the easier boards without reading them;
- numbers that are off: ``number_sorting`` by up to 1, ``pool_matrix`` by 1%, ``number_format`` by 0.01,
  ``decimal_arithmetic`` by one unit in the last place;
- Python code: ``binary_matrix``, ``n_queens``, ``spiral_matrix`` and ``string_insertion`` evaluate the
  answer, and so do ``countdown``, ``polynomial_multiplication``, ``puzzle24`` and both integrations, through
  SymPy.

White space around an answer never counts. Where the package compares the raw text, so does ``exact``, for
which inner spaces and the spelling of numbers matter. The other readings and rules ignore both, as far as
their names suggest. The cube of ``rubiks_cube`` is turned here because the package's scorer needs NumPy,
which the sandbox's Python may not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.text.toml import toml_load
from verifiers.puzzles import boards, calculus, cube, expressions, normal_forms, numbers, traffic
from verifiers.puzzles.package_scorers import PACKAGED, make_package_rule
from verifiers.puzzles.rule import Puzzle, Reading, Rule, restrict_shape, same

PUZZLE24 = 24


def puzzle24(puzzle: Puzzle, answer: str) -> bool | None:
    return expressions.arithmetic(replace(puzzle, facts={**puzzle.facts, "target": PUZZLE24}), answer)


_TABLES = toml_load(Path(__file__).with_name("datasets.toml"), dict[str, Any])
_READERS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": reading
    for module in (normal_forms, numbers, expressions)
    for name, reading in vars(module).items()
}
READINGS: Mapping[Reading, str] = {_READERS[name]: datasets for name, datasets in _TABLES["readings"].items()}
FACTS: Mapping[str, str] = _TABLES["facts"]

CHECKS: Mapping[str, Rule] = {
    "coin_flip": numbers.probability,
    "number_format": numbers.candidate,
    "countdown": expressions.arithmetic,
    "puzzle24": puzzle24,
    "intermediate_integration": calculus.antiderivative,
    "simple_integration": calculus.antiderivative,
    "n_queens": boards.queens,
    "palindrome_generation": boards.palindrome,
    "rubiks_cube": cube.rubiks_cube,
    "rush_hour": traffic.rush_hour,
    "sokoban": boards.sokoban,
}

RULES: Mapping[str, Rule] = {
    **{name: same(reading) for reading, names in READINGS.items() for name in names.split()},
    **CHECKS,
    **{name: restrict_shape(shape, make_package_rule(place)) for name, (place, shape) in PACKAGED.items()},
}
