"""Rung: count how often a word occurs in a short list, one to four times."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, ORDINALS, RUNGS, WORDS, Item, Rung

LENGTH = 6


def draw(draws: Draws) -> Item:
    word, *others = draws.sample(WORDS, 3)
    times = draws.whole(1, CHOICES)
    listed = draws.shuffled([word] * times + [draws.pick(others) for _ in range(LENGTH - times)])
    wrong = [number for number in range(1, CHOICES + 1) if number != times]
    return Item(
        text=f"How many times does the list say {word}?",
        choices=tuple(map(str, (times, *wrong))),
        passage=", ".join(listed),
        steps=_steps(word, times, listed),
    )


def _steps(word: str, times: int, listed: list[str]) -> tuple[str, ...]:
    """Mark the list's words one after another, then count the marks."""
    marks = (
        f"The {place} word is {item}: {'this counts' if item == word else 'this does not count'}."
        for place, item in zip(ORDINALS, listed, strict=True)
    )
    return (*marks, f"The list says {word} {times} {'time' if times == 1 else 'times'}.")


RUNGS.register("word_count", Rung(draw=draw, difficulty=1.0))
