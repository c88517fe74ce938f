"""Sampled sentences with the classes that the labellers and the rules give to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.behaviour.thoughts.records import SampledEpisode, SampledStep, episodes_read, labels_read
from trajectories.behaviour.thoughts.codebook import codebook
from trajectories.behaviour.thoughts.reader import Classed, Reader

DATA = Path(__file__).with_name("data")
LABELLERS = ("a", "b")
CLASSES = codebook().classes
TITLES = {one.id: one.title for one in CLASSES}
REASONING = frozenset(one.id for one in CLASSES if one.is_reasoning)
NARRATION = frozenset({"announce", "restate"})


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A sentence with the class according to the rules, and the classes by the labellers in their order."""

    episode: SampledEpisode
    given: str
    labels: Sequence[str]

    @property
    def agreed(self) -> str | None:
        return self.labels[0] if len(set(self.labels)) == 1 else None


def judged_read(name: str) -> list[Judged]:
    """Return the labelled sentences of a set; none if it is not labelled yet."""
    if not all((DATA / name / f"labels_{one}.jsonl").exists() for one in LABELLERS):
        return []
    labels = [labels_read(DATA / name / f"labels_{one}.jsonl") for one in LABELLERS]
    return [
        Judged(episode=episode, given=given, labels=[by_id[sentence] for by_id in labels])
        for episode in sampled_read(name)
        for sentence, given in sentences_given(episode)
    ]


def sampled_read(name: str) -> list[SampledEpisode]:
    return episodes_read(DATA / name / "sample.jsonl")


def sentences_given(episode: SampledEpisode) -> Iterator[tuple[str, str]]:
    """Yield the id of each sampled sentence and its class according to the rules.

    Sentences at which the sample cut the thought are left out.
    """
    if episode.kinds:
        yield from ((one.id, one.given) for one in episode.sentences())
        return
    for step, read in _read(episode):
        kinds = iter([(step.thought[one.begin : one.end], one.kind) for one in read])
        for sampled in step.sentences:
            if sampled.text in step.thought:
                yield sampled.id, next(kind for text, kind in kinds if text == sampled.text)


def thought_kinds(episode: SampledEpisode) -> list[str]:
    """Return the classes, according to the rules, of all sentences of an episode, labelled or not."""
    return episode.kinds or [one.kind for _, read in _read(episode) for one in read]


def _read(episode: SampledEpisode) -> Iterator[tuple[SampledStep, list[Classed]]]:
    reader = Reader(question=episode.question)
    for step in episode.steps:
        reader.see("\n".join((step.result, *step.page)))
        yield step, reader.read(step.thought, action=step.action, target=step.target)
