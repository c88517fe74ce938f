"""Rung: find the option that the question names."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, RUNGS, WORDS, Item, Rung


def draw(draws: Draws) -> Item:
    words = draws.sample(WORDS, CHOICES)
    return Item(text=f"Choose the word {words[0]}.", choices=tuple(words), steps=_steps(words[0]))


def _steps(word: str) -> tuple[str, ...]:
    return (
        f"The word that is named begins with {word[0]}.",
        f"It ends with {word[-1]}.",
        f"The word is {word}.",
    )


RUNGS.register("named_word", Rung(draw=draw, difficulty=0.0))
