"""The named option: read a word, and find it again."""

from __future__ import annotations

from core.draws import Draws
from tasks_app.ladder.registry import CHOICES, RUNGS, WORDS, Item, Rung


def draw(draws: Draws) -> Item:
    words = draws.sample(WORDS, CHOICES)
    return Item(text=f"Choose the word {words[0]}.", choices=tuple(words))


RUNGS.register("named_word", Rung(draw=draw, difficulty=0.0))
