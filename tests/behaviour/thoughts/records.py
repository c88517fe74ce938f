"""Episodes whose sentences are labelled, and the labels: the records of the files in ``data/``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


class SampledSentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """``given`` is the class that the rules gave it, where its text is left out."""

    id: str
    text: str = ""
    given: str = ""


class SampledStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """``page`` are the lines that no earlier step was shown; ``result`` is what came of the action before.

    ``sentences`` are those of the thought that are to be labelled, often none.
    """

    index: int
    result: str = ""
    page: list[str] = []
    thought: str = ""
    action: dict[str, Any] | None = None
    target: str = ""
    sentences: list[SampledSentence] = []


class SampledEpisode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """``source`` is the file that it is of; each stands for ``weight`` episodes of its policy.

    Of items that are not the gym's own, texts are left out: ``kinds`` are then the classes that the rules
    gave all sentences of its thoughts, and ``is_worked`` says whether the scripted solver wrote out a
    solution. Where texts are kept, steps after the last one with labels are not.
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
    """The class of each sentence, by its id."""
    labels = [
        msgspec.json.decode(line, type=Label) for line in path.read_bytes().splitlines() if line.strip()
    ]
    return {one.id: one.label for one in labels}


def records_write(path: Path, records: Iterable[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
