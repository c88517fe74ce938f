"""The records in the files of ``data/``: episodes whose sentences are labelled, and the labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


class SampledSentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A sampled sentence. If its text is left out, ``given`` is its class according to the rules."""

    id: str
    text: str = ""
    given: str = ""


class SampledStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A step of a sampled episode.

    ``page`` has the lines that were not shown in earlier steps; ``result`` is the result of the previous
    action. ``sentences`` are the sentences of the thought that are to be labelled, often none.
    """

    index: int
    result: str = ""
    page: list[str] = []
    thought: str = ""
    action: dict[str, Any] | None = None
    target: str = ""
    sentences: list[SampledSentence] = []


class SampledEpisode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A sampled episode from the file ``source``, which represents ``weight`` episodes of its policy.

    If the item is not the gym's own, texts are left out; ``kinds`` are then the classes that the rules gave
    to all sentences of the thoughts, and ``is_worked`` says whether the scripted solver wrote out a solution.
    If texts are kept, steps after the last one with labels are left out.
    """

    id: str
    source: str
    policy: str
    benchmark: str
    arm: str
    question: str = ""
    is_own: bool = True
    weight: float = 1.0
    steps: list[SampledStep]
    kinds: list[str] = []
    is_worked: bool = False

    def sentences(self) -> Iterator[SampledSentence]:
        for step in self.steps:
            yield from step.sentences


class Label(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    label: str = msgspec.field(name="class")


def episodes_read(path: Path) -> list[SampledEpisode]:
    return [msgspec.json.decode(line, type=SampledEpisode) for line in path.read_bytes().splitlines()]


def labels_read(path: Path) -> dict[str, str]:
    """Read the class of each sentence, by the sentence's id."""
    labels = [
        msgspec.json.decode(line, type=Label) for line in path.read_bytes().splitlines() if line.strip()
    ]
    return {one.id: one.label for one in labels}


def records_write(path: Path, records: Iterable[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
