"""The files for labellers: `python -m tests.behaviour.thoughts.handout drawn.jsonl a/ b/ --stored FILE`.

Each labeller gets a folder with the codebook, each episode from its beginning, and the ids of the sentences
in an individual order. Nothing in the folder says who wrote an episode or how the rules classify it. The
stored file contains no text of items that are not the gym's own, but only the classes that the rules give to
their sentences, so run this when the rules are final and before anybody labels. ``--scripted`` names
trajectories whose episodes of such items are stored as well, without labels, because the share of narration
is compared on them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import django
import msgspec
from msgspec.structs import replace

from tests.behaviour.thoughts.judged import sentences_given, thought_kinds
from tests.behaviour.thoughts.records import SampledEpisode, SampledStep, episodes_read, records_write
from tests.behaviour.thoughts.sample import episode_whole, is_own
from tests.behaviour.thoughts.separation import is_worked
from trajectories.behaviour.thoughts import codebook

SHEET = Path(__file__).with_name("labellers.md")
CODEBOOK = Path(codebook.__file__).with_name("codebook.toml")


def main() -> None:
    options = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    drawn = episodes_read(options.drawn)
    for place, folder in enumerate(options.folders):
        folder_write(folder, drawn, rng=random.Random(place))
    of_drawn = {_what(one) for one in drawn}
    whole = [one for path in options.scripted for one in _whole(path) if _what(one) not in of_drawn]
    records_write(options.stored, [without_text(one) for one in (*drawn, *whole)])


def folder_write(folder: Path, drawn: Sequence[SampledEpisode], *, rng: random.Random) -> None:
    (folder / "episodes").mkdir(parents=True, exist_ok=True)
    shutil.copy(SHEET, folder / "INSTRUCTIONS.md")
    shutil.copy(CODEBOOK, folder / "codebook.toml")
    shuffled = rng.sample(drawn, len(drawn))
    for episode in drawn:
        text = "\n".join(_lines(episode))
        (folder / "episodes" / f"{episode.id}.txt").write_text(text + "\n", encoding="utf-8")
    ids = [sentence.id for episode in shuffled for sentence in episode.sentences()]
    (folder / "sentences.txt").write_text("".join(f"{one}\n" for one in ids), encoding="utf-8")


def without_text(episode: SampledEpisode) -> SampledEpisode:
    """Return the episode in the form in which it may be stored in this repository."""
    if episode.is_own:
        return episode
    given = dict(sentences_given(episode))
    steps = [
        SampledStep(
            index=step.index,
            sentences=[
                replace(one, text="", given=given[one.id]) for one in step.sentences if one.id in given
            ],
        )
        for step in episode.steps
        if step.sentences
    ]
    return replace(
        episode, question="", steps=steps, kinds=thought_kinds(episode), is_worked=is_worked(episode)
    )


def _lines(episode: SampledEpisode) -> Iterator[str]:
    yield f"EPISODE {episode.id}\n\nTASK\n{episode.question}"
    for step in episode.steps:
        yield f"\n======== STEP {step.index} ========"
        if step.result:
            yield f"\nRESULT OF THE ACTION BEFORE\n{step.result}"
        if step.page:
            yield "\nPAGE (lines that were not shown before)\n" + "\n".join(step.page)
        yield f"\nTHOUGHT\n{step.thought}"
        action = msgspec.json.encode(step.action).decode() if step.action else "none"
        yield f"\nACTION THAT FOLLOWED\n{action}  {step.target}".rstrip()
        if step.sentences:
            yield "\nSENTENCES OF THIS THOUGHT TO BE LABELLED"
            yield from (f"[{one.id}] {one.text}" for one in step.sentences)


def _what(episode: SampledEpisode) -> tuple[str, str, str]:
    return episode.policy, episode.arm, episode.question


def _whole(path: Path) -> Iterator[SampledEpisode]:
    for place, line in enumerate(path.read_bytes().splitlines(), 1):
        trajectory = msgspec.json.decode(line)
        if not is_own(trajectory):
            yield episode_whole(trajectory, name=f"s{place:03}", source="scripted")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drawn", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--scripted", type=Path, action="append", default=[])
    parser.add_argument("--stored", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
