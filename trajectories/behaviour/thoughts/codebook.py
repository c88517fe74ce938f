"""The definitions of the sentence classes (``codebook.toml``), which are the text that labellers read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct


class SentenceClass(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A class of sentences, which the database stores as its ``letter``.

    ``is_reasoning`` is true if sentences of the class add something, and false if they narrate.
    """

    id: str
    letter: str
    title: str
    is_reasoning: bool
    definition: str
    examples: list[str]
    not_these: list[str]


class Codebook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The codebook. The order of ``classes`` matters: a sentence that fits several belongs to the first."""

    unit: str
    test: str
    several: str
    classes: list[SentenceClass] = msgspec.field(name="class")


@cache
def codebook() -> Codebook:
    return msgspec.toml.decode(Path(__file__).with_name("codebook.toml").read_bytes(), type=Codebook)


LETTERS = {one.id: one.letter for one in codebook().classes}
