"""What is generated from ``reasoning-gym`` 0.1.25, and what is left out and why."""

from __future__ import annotations

from collections.abc import Mapping

LEFT_OUT: Mapping[str, str] = {
    "boxnet": "the package gives no answer of its own; its scorer grades plans by the share of boxes moved",
    "codeio": "it runs programs of its data file to make an item, which read files and the clock: the same "
    "seed gives other items",
    "composite": "a mixture of the others, not a dataset of its own",
    "propositional_logic": "its scorer takes a premise copied from the question, or anything weaker, for a "
    "conclusion, and no rule says which conclusion is meant",
}

LEVEL_MAX = 3
"""Curricula have up to eleven levels; the first four are generated unless listed otherwise."""

LEVELS: Mapping[str, tuple[int, ...]] = {
    # Beyond these, questions or answers are too long for a page, items take a second and more, or the
    # curriculum's own settings are refused by the dataset.
    "bf": (0, 1),
    "binary_matrix": (0, 1),
    "caesar_cipher": (0, 1),
    "circuit_logic": (0, 1),
    "futoshiki": (0, 1, 2),
    "game_of_life": (0, 1),
    "game_of_life_halting": (0, 1),
    "group_anagrams": (0, 1),
    "jugs": (0,),
    "kakurasu": (0, 1, 2),
    "knight_swap": (),
    "largest_island": (0, 1, 2),
    "mahjong_puzzle": (0, 1, 2),
    "manipulate_matrix": (0, 1),
    "maze": (0, 1),
    "modulo_grid": (0,),
    "needle_haystack": (0,),
    "number_format": (0, 1),
    "number_sequence": (0, 1),
    "number_sorting": (0,),
    "palindrome_partitioning": (0, 1),
    "polynomial_multiplication": (0, 1),
    "pool_matrix": (0, 1, 2),
    "rotate_matrix": (0, 1),
    "rotten_oranges": (0, 1, 2),
    # Larger cubes need moves of inner layers, which the question does not explain.
    "rubiks_cube": (0,),
    "rush_hour": (0, 1),
    "shortest_path": (0, 1, 2),
    # Its first level asks for more boxes than its boards can hold, and never terminates.
    "sokoban": (1, 2, 3),
    "spiral_matrix": (0, 1),
    "survo": (0, 1),
    "tower_of_hanoi": (0, 1),
    "zebra_puzzles": (0, 1, 2),
}

IN_LINES = frozenset(
    {
        "arc_agi",
        "binary_matrix",
        "emoji_mystery",
        "futoshiki",
        "game_of_life",
        "group_anagrams",
        "jugs",
        "kakurasu",
        "knight_swap",
        "letter_jumble",
        "manipulate_matrix",
        "mini_sudoku",
        "modulo_grid",
        "n_queens",
        "number_filtering",
        "number_sorting",
        "palindrome_generation",
        "palindrome_partitioning",
        "polynomial_multiplication",
        "pool_matrix",
        "rearc",
        "rotate_matrix",
        "rubiks_cube",
        "rush_hour",
        "sentence_reordering",
        "shortest_path",
        "sokoban",
        "spiral_matrix",
        "string_insertion",
        "string_manipulation",
        "sudoku",
        "survo",
        "tower_of_hanoi",
        "word_sequence_reversal",
        "word_sorting",
    }
)
"""Datasets whose answers may have several lines or more than 200 characters. Said of the dataset and not of
the item: an item's answer is nobody's business."""

HIDDEN_TEXT = {"emoji_mystery": "the text is hidden in characters that nobody sees"}
"""Why a dataset's items say nothing about the modality gap."""

QUESTION_CHARS = 8_000
GOLD_CHARS = 2_000
"""Longer items are skipped."""
