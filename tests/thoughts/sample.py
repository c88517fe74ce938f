"""`python -m tests.thoughts.sample small=small.ndjson:150 --write sample.jsonl`: draw a sample for labellers.

They are drawn from trajectories (`GET /api/v1/runs/{id}/trajectories`). Each file is a source with a name and
a number of sentences. Only items of the gym's own are taken: starter tasks and those of generated benchmarks.
Policies, benchmarks and arms take turns, and the same files and seed give the same sample. A third of the
questions is for development with all their episodes; the others are kept apart. Labellers get the file that
ends in ``.blind.jsonl``.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django
import msgspec
from msgspec.structs import replace

from core.outline import ids_removed
from tests.thoughts.records import SampledEpisode, SampledSentence, SampledStep, SetName, records_write
from trajectories.thoughts.sentences import sentences

OWN_SPLIT = "starter"
OWN_BENCHMARKS = frozenset({"reviews", "stays", "reasoning_gym"})
# Of an episode and of a thought, so that a talkative one does not fill the sample.
STEPS_MOST = 8
SENTENCES_MOST = 15
SENTENCE_CHARS = 600
THOUGHT_CHARS = 6_000
PAGE_CHARS = 12_000
DEVELOPMENT_SHARE = 1 / 3
NUMBER = re.compile(r"\d[\d.,]*")
Trajectory = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Source:
    """The ``count`` sentences that are wanted of a file of trajectories."""

    name: str
    path: Path
    count: int


def main() -> None:
    options = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    drawn = [one for source in options.sources for one in episodes_draw(source, seed=options.seed)]
    random.Random(options.seed).shuffle(drawn)
    named = [named_anew(one, f"e{place:03}") for place, one in enumerate(drawn, 1)]
    records_write(options.write, named)
    records_write(options.write.with_suffix(".blind.jsonl"), map(blinded, named))
    for (name, policy, set_name), count in sorted(_counts(drawn).items()):
        print(f"{name:12} {policy:28} {set_name:12} {count:4} sentences")


def episodes_draw(source: Source, *, seed: int) -> list[SampledEpisode]:
    """Episodes with about as many sentences as are wanted of a source, as far as it has them."""
    rng = random.Random(f"{seed}:{source.name}")
    sampler = Sampler(rng=rng)
    drawn: list[SampledEpisode] = []
    for trajectory in _in_turns(_own_trajectories(source.path), rng):
        if sampler.taken >= source.count:
            break
        episode = sampler.episode(trajectory, source=source.name, seed=seed)
        drawn += [episode] if episode else []
    return drawn


def named_anew(episode: SampledEpisode, name: str) -> SampledEpisode:
    """The episode with an id, and sentences with ids, that say nothing of its policy."""
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


def blinded(episode: SampledEpisode) -> dict[str, Any]:
    """What labellers read: not who wrote it, nor in which set it is."""
    return {
        name: value
        for name, value in msgspec.to_builtins(episode).items()
        if name not in ("set", "source", "policy")
    }


def set_of(question: str, *, seed: int) -> SetName:
    """The set of all episodes of a question, so that no two sets share the words of a solution."""
    is_development = random.Random(f"{seed}:{question}").random() < DEVELOPMENT_SHARE
    return "development" if is_development else "held_out"


@dataclass(kw_only=True)
class Sampler:
    """A sentence is taken once of each policy, numbers aside: some say the same again and again."""

    rng: random.Random
    taken: int = 0
    known: set[tuple[str, str]] = field(default_factory=set)

    def episode(self, trajectory: Trajectory, *, source: str, seed: int) -> SampledEpisode | None:
        """None if it says nothing that the sample does not have."""
        thoughts = {step["index"]: sentences(step["thought"]) for step in trajectory["steps"]}
        spoken = sorted(index for index, texts in thoughts.items() if texts)
        picked = sorted(self.rng.sample(spoken, min(STEPS_MOST, len(spoken))))
        chosen = {index: self._sentences(index, thoughts[index], trajectory["model"]) for index in picked}
        if not any(chosen.values()):
            return None
        last = max(index for index, texts in chosen.items() if texts)
        return SampledEpisode(
            id=f"{source}-{trajectory['id']}",
            set=set_of(question_of(trajectory, in_order=True), seed=seed),
            source=source,
            policy=trajectory["model"],
            benchmark=trajectory["task"]["benchmark"],
            arm=trajectory["arm"],
            question=question_of(trajectory),
            steps=list(_steps(trajectory, last=last, chosen=chosen)),
        )

    def _sentences(self, index: int, texts: Sequence[str], policy: str) -> list[SampledSentence]:
        begin = self.rng.randint(0, max(0, len(texts) - SENTENCES_MOST))
        chosen = []
        for place, text in enumerate(texts[begin : begin + SENTENCES_MOST], begin):
            key = (policy, NUMBER.sub("0", text.casefold()))
            if key not in self.known and len(text) <= SENTENCE_CHARS:
                self.known.add(key)
                chosen.append(SampledSentence(id=f"{index}.{place}", text=text))
        self.taken += len(chosen)
        return chosen


def question_of(trajectory: Trajectory, *, in_order: bool = False) -> str:
    """What the page or the prompt asks, with the choices as they were shown or in their order."""
    from tasks_app.questions import questions
    from tasks_app.variation import payload_shown

    task = trajectory["task"]
    payload = payload_shown(task["payload"], None if in_order else trajectory["arrangement"])
    return str(questions.get(task["kind"]).axtree_text(payload)).strip() or str(task["prompt"])


def _own_trajectories(path: Path) -> Iterator[Trajectory]:
    with path.open("rb") as lines:
        for line in lines:
            trajectory: Trajectory = msgspec.json.decode(line)
            task = trajectory["task"]
            if task["split"] == OWN_SPLIT or task["benchmark"] in OWN_BENCHMARKS:
                yield trajectory


def _in_turns(trajectories: Iterator[Trajectory], rng: random.Random) -> Iterator[Trajectory]:
    """In random order, the strata (policy, benchmark and arm) taking turns."""
    strata: dict[tuple[str, ...], list[Trajectory]] = defaultdict(list)
    for trajectory in trajectories:
        key = (trajectory["model"], trajectory["task"]["benchmark"], trajectory["arm"])
        strata[key].append(trajectory)
    lists = [sorted(strata[key], key=lambda one: int(one["id"])) for key in sorted(strata)]
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
        lines = ids_removed(observation)[:PAGE_CHARS].splitlines()
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


def _counts(drawn: Sequence[SampledEpisode]) -> Counter[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in drawn:
        counts[one.source, one.policy, one.set] += sum(1 for _ in one.sentences())
    return counts


def _source(text: str) -> Source:
    name, _, rest = text.partition("=")
    path, _, count = rest.rpartition(":")
    return Source(name=name, path=Path(path), count=int(count))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=_source, metavar="NAME=FILE:SENTENCES")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
