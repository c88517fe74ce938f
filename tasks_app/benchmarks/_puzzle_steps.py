"""Solutions of generated puzzles, in steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tasks_app.benchmarks import _steps_numbers as numbers
from tasks_app.benchmarks import _steps_texts as texts

DERIVATIONS: Mapping[str, Callable[[str, str], list[str]]] = {
    "aiw": numbers.siblings,
    "base_conversion": numbers.base,
    "basic_arithmetic": numbers.expression,
    "caesar_cipher": texts.caesar,
    "chain_sum": numbers.expression,
    "count_bits": numbers.bits,
    "count_primes": numbers.primes,
    "decimal_chain_sum": numbers.expression,
    "fraction_simplification": numbers.fraction,
    "gcd": numbers.common_divisor,
    "isomorphic_strings": texts.isomorphic,
    "jugs": texts.jugs,
    "lcm": numbers.common_multiple,
    "letter_counting": texts.letters,
    "number_filtering": numbers.filtered,
    "number_sorting": texts.listed,
    "prime_factorization": numbers.factors,
    "products": numbers.expression,
    "ransom_note": texts.ransom,
    "simple_equations": numbers.equation,
    "spell_backward": texts.backward,
    "tower_of_hanoi": numbers.hanoi,
    "word_sequence_reversal": texts.listed,
    "word_sorting": texts.listed,
}


def derive_solution(dataset: str, question: str, answer: str) -> str:
    """Derive the steps, a line each; empty without any, or where they do not end with the answer."""
    try:
        steps = DERIVATIONS[dataset](question, answer) if dataset in DERIVATIONS else []
    except (IndexError, ValueError):  # the question is worded in another way
        return ""
    return "\n".join(steps) if steps and _ends_with(steps, answer) else ""


def _ends_with(steps: list[str], answer: str) -> bool:
    """Return whether the last step states the answer; lists of moves are the answer together."""
    return steps[-1].rstrip(".").endswith(answer) or f" {answer} " in steps[-1] or "\n".join(steps) == answer
