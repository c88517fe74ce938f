"""Sampled sentences with the classes that labellers and the rules give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.thoughts.records import SampledEpisode, SampledStep, episodes_read, labels_read
from trajectories.thoughts.codebook import codebook
from trajectories.thoughts.reader import Classed, Reader

DATA = Path(__file__).with_name("data")
LABELLERS = ("a", "b")
CLASSES = codebook().classes
TITLES = {one.id: one.title for one in CLASSES}
REASONING = frozenset(one.id for one in CLASSES if one.is_reasoning)
NARRATION = frozenset({"announce", "restate"})


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A sentence with the class that the rules give it and those of the labellers, in their order."""

    episode: SampledEpisode
    given: str
    labels: Sequence[str]

    @property
    def agreed(self) -> str | None:
        return self.labels[0] if len(set(self.labels)) == 1 else None


def judged_read(name: str) -> list[Judged]:
    """The sentences of a set."""
    labels = [labels_read(DATA / f"labels_{one}.jsonl") for one in LABELLERS]
    episodes = [one for one in episodes_read(DATA / "sample.jsonl") if one.set == name]
    return [one for episode in episodes for one in judged_of(episode, labels)]


def judged_of(episode: SampledEpisode, labels: Sequence[Mapping[str, str]]) -> list[Judged]:
    """A sentence that stands where the sample cuts its thought is left out."""
    judged = []
    for step, read in _read(episode):
        kinds = iter([(step.thought[one.begin : one.end], one.kind) for one in read])
        for sampled in step.sentences:
            if sampled.text not in step.thought:
                continue
            given = next(kind for text, kind in kinds if text == sampled.text)
            of_sentence = [by_id[sampled.id] for by_id in labels]
            judged.append(Judged(episode=episode, given=given, labels=of_sentence))
    return judged


def thought_kinds(episode: SampledEpisode) -> list[str]:
    """The classes of all sentences of an episode, whether labelled or not, by the rules."""
    return [one.kind for _, read in _read(episode) for one in read]


def _read(episode: SampledEpisode) -> Iterator[tuple[SampledStep, list[Classed]]]:
    reader = Reader(question=episode.question)
    for step in episode.steps:
        reader.see("\n".join((step.result, *step.page)))
        yield step, reader.read(step.thought, action=step.action, target=step.target)
