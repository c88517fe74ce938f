"""Drawing of a sample of sentences.

`python -m tests.behaviour.thoughts.sample small=small.ndjson:150 --seed 2 --write sample.jsonl`

Sentences are drawn from trajectories (`GET /api/v1/runs/{id}/trajectories`). Each file is a source with a
name and a number of sentences. Benchmarks and arms of a policy take turns. So do episodes with and without
words that are frequent in checks, plans and revisions, so that the sample has enough of these; ``weight`` is
the number of episodes that an episode represents. The same files and seed give the same sample. If
``--beside`` names an earlier sample, its sentences are not drawn again, nor are episodes with the same
question and policy.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django
import msgspec
from msgspec.structs import replace

from palaestra.protocol.outline import strip_ids
from tests.behaviour.thoughts.records import (
    SampledEpisode,
    SampledSentence,
    SampledStep,
    episodes_read,
    records_write,
)
from trajectories.behaviour.thoughts.sentences import sentences

OWN_SPLIT = "starter"
OWN_BENCHMARKS = frozenset({"reviews", "stays", "reasoning_gym"})
# Limits per episode and per thought, so that a talkative one does not fill the sample.
STEPS_MOST = 16
SENTENCES_MOST = 15
SENTENCE_CHARS = 600
THOUGHT_CHARS = 6_000
PAGE_CHARS = 200_000
# Broad on purpose: these match far more than the rules for the classes do.
WIDE = re.compile(
    r"\b(?:check|verif|confirm|wait|actually|again|wrong|mistake|correct|instead|but|however|agree|match|same|sure|test"
    r"|fail|work|need|first|then|plan|step|find|until|before|have to|should|start|let)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d[\d.,]*")
Trajectory = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of trajectories from which ``count`` sentences are wanted, at most ``most`` from one thought."""

    name: str
    path: Path
    count: int
    most: int


def main() -> None:
    options = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    beside = [one for path in options.beside for one in episodes_read(path)]
    drawn = [
        one for source in options.sources for one in episodes_draw(source, seed=options.seed, beside=beside)
    ]
    random.Random(options.seed).shuffle(drawn)
    named = [named_anew(one, f"e{place:03}") for place, one in enumerate(drawn, 1)]
    records_write(options.write, named)
    for (name, policy), (episodes, count) in sorted(_counts(drawn).items()):
        print(f"{name:12} {policy:28} {episodes:4} episodes {count:4} sentences")


def episodes_draw(
    source: Source, *, seed: int, beside: Sequence[SampledEpisode] = ()
) -> list[SampledEpisode]:
    """Draw episodes with about as many sentences as are wanted from a source, if it has that many."""
    rng = random.Random(f"{seed}:{source.name}")
    sampler = Sampler(rng=rng, most=source.most)
    sampler.known.update(_key(one.policy, sentence.text) for one in beside for sentence in one.sentences())
    taken = {(one.policy, in_order(one.question)) for one in beside}
    strata = _strata(source.path, taken)
    drawn: dict[tuple[str, ...], list[SampledEpisode]] = defaultdict(list)
    for key, trajectory in _in_turns(strata, rng):
        if sampler.taken >= source.count:
            break
        if episode := sampler.episode(trajectory, source=source.name):
            drawn[key].append(episode)
    return [
        replace(one, weight=round(len(strata[key]) / len(episodes), 3))
        for key, episodes in drawn.items()
        for one in episodes
    ]


def named_anew(episode: SampledEpisode, name: str) -> SampledEpisode:
    """Return the episode with new ids, also for its sentences, that do not reveal its policy."""
    steps = [
        replace(
            step,
            sentences=[
                replace(one, id=f"{name}.{step.index}.{place}") for place, one in enumerate(step.sentences, 1)
            ],
        )
        for step in episode.steps
    ]
    return replace(episode, id=name, steps=steps)


def episode_whole(trajectory: Trajectory, *, name: str, source: str) -> SampledEpisode:
    """Return all steps of an episode, without any sentences to be labelled."""
    last = max((step["index"] for step in trajectory["steps"]), default=0)
    return SampledEpisode(
        id=name,
        source=source,
        policy=trajectory["model"],
        benchmark=trajectory["task"]["benchmark"],
        arm=trajectory["arm"],
        is_own=is_own(trajectory),
        question=question_of(trajectory),
        steps=list(_steps(trajectory, last=last, chosen={})),
    )


def in_order(question: str) -> str:
    """Return a question with its lines sorted, so that it is recognised even if its choices were shuffled."""
    return "\n".join(sorted(question.splitlines()))


@dataclass(kw_only=True)
class Sampler:
    """Samples episodes.

    Each policy's sentences are taken only once, ignoring numbers, because some repeat them.
    """

    rng: random.Random
    most: int = SENTENCES_MOST
    taken: int = 0
    known: set[tuple[str, str]] = field(default_factory=set)

    def episode(self, trajectory: Trajectory, *, source: str) -> SampledEpisode | None:
        """Sample an episode; return None if it contains nothing that the sample does not have yet."""
        thoughts = {step["index"]: sentences(step["thought"]) for step in trajectory["steps"]}
        spoken = sorted(index for index, texts in thoughts.items() if texts)
        picked = sorted(self.rng.sample(spoken, min(STEPS_MOST, len(spoken))))
        chosen = {index: self._sentences(index, thoughts[index], trajectory["model"]) for index in picked}
        if not any(chosen.values()):
            return None
        last = max(index for index, texts in chosen.items() if texts)
        whole = episode_whole(trajectory, name=f"{source}-{trajectory['id']}", source=source)
        return replace(whole, steps=list(_steps(trajectory, last=last, chosen=chosen)))

    def _sentences(self, index: int, texts: Sequence[str], policy: str) -> list[SampledSentence]:
        begin = self.rng.randint(0, max(0, len(texts) - self.most))
        chosen = []
        for place, text in enumerate(texts[begin : begin + self.most], begin):
            key = _key(policy, text)
            if key not in self.known and len(text) <= SENTENCE_CHARS:
                self.known.add(key)
                chosen.append(SampledSentence(id=f"{index}.{place}", text=text))
        self.taken += len(chosen)
        return chosen


def question_of(trajectory: Trajectory) -> str:
    """Return the question on the page or in the prompt, with the choices as they were shown."""
    from tasks_app.questions import questions
    from tasks_app.variation import payload_shown

    task = trajectory["task"]
    payload = payload_shown(task["payload"], trajectory["arrangement"])
    return str(questions.get(task["kind"]).axtree_text(payload)).strip() or str(task["prompt"])


def is_own(trajectory: Trajectory) -> bool:
    """Return whether the item is the gym's own, so that its text may be stored in this repository."""
    task = trajectory["task"]
    return task["split"] == OWN_SPLIT or task["benchmark"] in OWN_BENCHMARKS


def _key(policy: str, text: str) -> tuple[str, str]:
    return policy, NUMBER.sub("0", text.casefold())


def _strata(path: Path, taken: Container[tuple[str, str]]) -> dict[tuple[str, ...], list[Trajectory]]:
    """Group the trajectories by policy, benchmark, arm, and whether a thought has one of the broad words."""
    strata: dict[tuple[str, ...], list[Trajectory]] = defaultdict(list)
    for line in path.read_bytes().splitlines():
        trajectory: Trajectory = msgspec.json.decode(line)
        thoughts = "\n".join(step["thought"] for step in trajectory["steps"])
        if not thoughts.strip() or (trajectory["model"], in_order(question_of(trajectory))) in taken:
            continue
        has_wide = "wide" if WIDE.search(thoughts) else ""
        key = (trajectory["model"], trajectory["task"]["benchmark"], trajectory["arm"], has_wide)
        strata[key].append(trajectory)
    return strata


def _in_turns(
    strata: Mapping[tuple[str, ...], list[Trajectory]], rng: random.Random
) -> Iterator[tuple[tuple[str, ...], Trajectory]]:
    """Yield the trajectories in random order, with the strata taking turns."""
    lists = [
        [(key, one) for one in sorted(strata[key], key=lambda one: int(one["id"]))] for key in sorted(strata)
    ]
    for episodes in lists:
        rng.shuffle(episodes)
    rng.shuffle(lists)
    for turn in itertools.zip_longest(*lists):
        yield from (one for one in turn if one)


def _steps(
    trajectory: Trajectory, *, last: int, chosen: Mapping[int, list[SampledSentence]]
) -> Iterator[SampledStep]:
    seen: set[str] = set()
    result = ""
    for step in trajectory["steps"]:
        if step["index"] > last:
            return
        observation = (step["observation"] or {}).get("text") or ""
        lines = strip_ids(observation)[:PAGE_CHARS].splitlines()
        page = [line.strip() for line in lines if line.strip() not in seen]
        seen.update(page)
        yield SampledStep(
            index=step["index"],
            result=result,
            page=page,
            thought=step["thought"][:THOUGHT_CHARS],
            action=step["action"] and _short(step["action"]),
            target=_target(step["action"], observation),
            sentences=chosen.get(step["index"], []),
        )
        result = step["result_message"] or step["action_result"] or ""


def _target(action: object, observation: str) -> str:
    from trajectories.actions.elements import target_description

    return target_description(action, observation=observation)


def _short(action: dict[str, Any]) -> dict[str, Any]:
    return {key: value[:THOUGHT_CHARS] if isinstance(value, str) else value for key, value in action.items()}


def _counts(drawn: Sequence[SampledEpisode]) -> dict[tuple[str, str], tuple[int, int]]:
    counts: dict[tuple[str, str], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for one in drawn:
        episodes, count = counts[one.source, one.policy]
        counts[one.source, one.policy] = episodes + 1, count + sum(1 for _ in one.sentences())
    return counts


def _source(text: str) -> Source:
    name, _, rest = text.partition("=")
    path, count, *most = rest.split(":")
    return Source(name=name, path=Path(path), count=int(count), most=int(most[0]) if most else SENTENCES_MOST)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=_source, metavar="NAME=FILE:SENTENCES[:MOST]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--beside", type=Path, action="append", default=[], metavar="SAMPLE")
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
