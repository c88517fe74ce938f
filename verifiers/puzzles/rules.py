"""The rule of each dataset of ``reasoning-gym`` 0.1.25.

A dataset whose scorer compares text (the package's plain one, or its own with case or white space dropped)
is judged by the same comparison here. A scorer that plays a puzzle through is run in the sandbox, on
answers of one shape only. The others have rules of our own. What the package's scorers accept at 1.0:

- any text: ``game_of_life_halting``; ``polynomial_equations`` where there is no solution;
- one text for every item: ``nan`` (``complex_arithmetic``), any number where the gold is -1
  (``calendar_arithmetic``), zero where a probability is small (``coin_flip``), four numbers that were not
  given (``puzzle24``), the question itself as ``Integral(...)`` (both integrations);
- the right answer among others or with additional text: ``advanced_geometry``, ``figlet_font``,
  ``fraction_simplification``, ``game_of_life``, ``gsm_symbolic``, ``kakurasu``, ``knights_knaves``,
  ``letter_jumble``, ``polynomial_equations``, ``quantum_lock``, ``sokoban``, ``spell_backward``, ``survo``,
  ``time_intervals``;
- impossible moves, which are skipped (``rush_hour``, ``sokoban``): a random walk of 4,000 moves
  solves a fifth of the easier boards unread;
- other numbers: ``number_sorting`` within 1, ``pool_matrix`` 1%, ``number_format`` 0.01,
  ``decimal_arithmetic`` a unit of the last place;
- Python: ``binary_matrix``, ``n_queens``, ``spiral_matrix`` and ``string_insertion`` evaluate the answer, and
  so do, through SymPy, ``countdown``, ``polynomial_multiplication``, ``puzzle24`` and both integrations.

White space around an answer never counts. Where the package compares the raw text, so does ``exact``:
inner spaces and the spelling of numbers count. The other readings and rules ignore both, as far as their
names say. ``rubiks_cube`` is turned here because its scorer needs NumPy, which the sandbox's
Python may not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from verifiers.puzzles import boards, calculus, cube, expressions, normal_forms, numbers, traffic
from verifiers.puzzles.package_scorers import PACKAGED, packaged
from verifiers.puzzles.rule import Puzzle, Reading, Rule, same, shaped

PUZZLE24 = 24


def puzzle24(puzzle: Puzzle, answer: str) -> bool | None:
    return expressions.arithmetic(replace(puzzle, facts={**puzzle.facts, "target": PUZZLE24}), answer)


READINGS: Mapping[Reading, str] = {
    normal_forms.exact: "ab acre aiw arc_1d base_conversion basic_arithmetic bf binary_alternation "
    "caesar_cipher "
    "circuit_logic count_bits count_primes course_schedule emoji_mystery gcd isomorphic_strings "
    "largest_island lcm leg_counting letter_counting list_functions mahjong_puzzle maze number_filtering "
    "number_sequence ransom_note rotten_oranges self_reference simple_equations simple_geometry "
    "string_insertion string_manipulation string_splitting string_synthesis syllogism "
    "word_sequence_reversal",
    normal_forms.folded: "color_cube_rotation dice family_relationships game_of_life_halting spell_backward "
    "tsumego zebra_puzzles",
    normal_forms.unspaced: "figlet_font needle_haystack",
    normal_forms.words: "path_star spiral_matrix",
    normal_forms.folded_words: "letter_jumble sentence_reordering",
    normal_forms.comma_list: "word_sorting",
    normal_forms.lines: "futoshiki mini_sudoku modulo_grid rotate_matrix sudoku",
    normal_forms.cells: "arc_agi binary_matrix manipulate_matrix rearc survo",
    normal_forms.number_cells: "pool_matrix",
    normal_forms.life_board: "game_of_life",
    normal_forms.groups: "group_anagrams",
    normal_forms.partitions: "palindrome_partitioning",
    normal_forms.number_list: "number_sorting",
    normal_forms.duration: "time_intervals",
    normal_forms.roles: "knights_knaves",
    numbers.number: "chain_sum decimal_arithmetic decimal_chain_sum gsm_symbolic products rectangle_count",
    numbers.numbers: "polynomial_equations",
    numbers.calendar: "calendar_arithmetic",
    numbers.complex_number: "complex_arithmetic",
    numbers.factors: "prime_factorization",
    numbers.fraction: "fraction_simplification",
    numbers.hexadecimal: "bitwise_arithmetic",
    numbers.geometry: "advanced_geometry",
    numbers.significant: "power_function",
    expressions.polynomial: "polynomial_multiplication",
}

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

FACTS: Mapping[str, str] = {
    "coin_flip": "rational",
    "countdown": "numbers target",
    "cryptarithm": "words_letters result_letters allow_leading_zero",
    "graph_color": "puzzle",
    "intermediate_integration": "integrand variable",
    "jugs": "puzzle",
    "kakurasu": "row_sums col_sums n_rows n_cols",
    "knight_swap": "is_possible board pieces start_turn solution",
    "n_queens": "valid_answers",
    "number_format": "candidates formatted_candidates solution",
    "palindrome_generation": "letters",
    "puzzle24": "numbers",
    "quantum_lock": "buttons initial_state initial_value target_value",
    "rubiks_cube": "cube_size scramble_moves",
    "rush_hour": "board_config",
    "shortest_path": "matrix",
    "simple_integration": "integrand variable",
    "sokoban": "gamestr",
    "tower_of_hanoi": "num_disks num_pegs start_peg target_peg solution_length",
    "word_ladder": "start_word end_word",
}
"""What rules read of the generator's metadata; rules not listed read none."""

RULES: Mapping[str, Rule] = dict(
    sorted(
        chain(
            ((name, same(reading)) for reading, names in READINGS.items() for name in names.split()),
            CHECKS.items(),
            ((name, shaped(shape, packaged(place))) for name, (place, shape) in PACKAGED.items()),
        )
    )
)
