"""Definitions of the sentence classes (``codebook.toml``): the text that labellers read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class SentenceClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``letter`` stands for it in the database.

    ``is_reasoning`` tells sentences that add something from those that narrate.
    """

    id: str
    letter: str
    title: str
    is_reasoning: bool
    definition: str
    examples: list[str]
    not_these: list[str]


class Codebook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``classes`` are in their order: a sentence that fits several is of the first of them."""

    unit: str
    test: str
    several: str
    classes: list[SentenceClass] = msgspec.field(name="class")


@cache
def codebook() -> Codebook:
    return msgspec.toml.decode(Path(__file__).with_name("codebook.toml").read_bytes(), type=Codebook)


LETTERS = {one.id: one.letter for one in codebook().classes}
