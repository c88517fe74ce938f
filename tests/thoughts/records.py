"""Episodes whose sentences are labelled, and the labels: the records of the files in ``data/``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

SetName = Literal["development", "held_out"]


class SampledSentence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    text: str


class SampledStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``page`` are the lines that no earlier step was shown; ``result`` is what came of the action before.

    ``sentences`` are those of the thought that are to be labelled, often none.
    """

    index: int
    result: str
    page: list[str]
    thought: str
    action: dict[str, Any] | None
    target: str
    sentences: list[SampledSentence]


class SampledEpisode(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``source`` is the file that it is of. Steps after the last one with labels are left out."""

    id: str
    set: SetName
    source: str
    policy: str
    benchmark: str
    arm: str
    question: str
    steps: list[SampledStep]

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
