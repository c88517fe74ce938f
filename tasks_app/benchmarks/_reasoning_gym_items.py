"""The generator process: writes items from ``reasoning-gym`` as JSON lines.

Run it as a module with a seed and a count; an optional dataset and level restrict the output to those. It is
a separate process, started with ``PYTHONHASHSEED=0``, because six datasets depend on the order of Python's
sets, one draws from the global ``random``, several print, and importing the package loads Matplotlib. The
items are the package's own. They are drawn from each dataset in turn and, within a dataset, from the default
configuration and each level of the curriculum in turn.
"""

from __future__ import annotations

import contextlib
import decimal
import hashlib
import io
import json
import random
import sys
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

from tasks_app.benchmarks import _puzzle_answers, _puzzle_rules
from tasks_app.benchmarks._reasoning_gym import GOLD_CHARS, LEVEL_MAX, LEVELS, QUESTION_CHARS, UNCLEAR_FONTS
from verifiers.puzzles import cube, traffic
from verifiers.puzzles.package_scorers import PACKAGED
from verifiers.puzzles.rule import Puzzle, clean_answer
from verifiers.puzzles.rules import FACTS, RULES
from verifiers.types import UnparsableGold

# A dataset is created with few items because some build all of them, or an index of them, immediately.
CHUNK = 50
MOVES_MAX = 400
MISSES_MAX = 200
"""Consecutive known or unusable items after which a dataset counts as exhausted."""


class Source:
    """New items of one dataset at one level; ``level`` None is the dataset's default configuration."""

    def __init__(self, name: str, level: int | None, *, seed: int, seen: set[str]) -> None:
        self.name, self.level, self.seed, self.seen = name, level, seed, seen
        self.items = self._items()

    def _items(self) -> Iterator[dict[str, Any]]:
        misses = 0
        for entry, dataset in self._entries():
            item = self._item(entry, dataset) if entry else None
            misses = 0 if item else misses + 1
            if item:
                yield item
            if misses > MISSES_MAX:
                return

    def _entries(self) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield entries with their datasets; an entry is empty where the package fails to build it."""
        for chunk in count():
            place = f"{self.seed}/{self.name}/{self.level}/{chunk}"
            dataset = self._dataset(place)
            for index in range(CHUNK):
                random.seed(f"{place}/{index}")
                try:
                    with decimal.localcontext():  # decimal_arithmetic changes the global precision
                        entry = dataset[index]
                except (IndexError, StopIteration):
                    break
                except (RuntimeError, ValueError):
                    entry = {}
                yield entry, dataset

    def _dataset(self, place: str) -> Any:
        kind, config = _package().DATASETS[self.name]
        given = {"seed": int.from_bytes(hashlib.sha256(place.encode()).digest()[:4]) >> 1, "size": CHUNK}
        if self.level is None:
            return kind(config(**given))
        curriculum = _package().CURRICULA[self.name]()
        curriculum.set_global_level(self.level)
        return kind(curriculum.generate_configuration(given))

    def _item(self, entry: dict[str, Any], dataset: Any) -> dict[str, Any] | None:
        """Build the item; None for a duplicate, a too long one, or one without a right answer to type."""
        question, answer = str(entry["question"]).strip("\n").rstrip(), _answer(self.name, entry, dataset)
        digest = hashlib.sha256(question.encode()).hexdigest()
        if digest in self.seen or len(question) > QUESTION_CHARS or len(answer) > GOLD_CHARS:
            return None
        metadata = json.loads(json.dumps(entry["metadata"], default=str))
        facts = {name: metadata[name] for name in FACTS.get(self.name, "").split()}
        if self.name == "knight_swap":  # its scorer uses only the number of moves, as a limit
            facts["solution"] = "-" * MOVES_MAX
        if not _is_right(Puzzle(self.name, answer, facts), dataset):
            return None
        self.seen.add(digest)
        return {
            "dataset": self.name,
            "category": dataset.category,
            "level": self.level,
            "levels": _levels(self.name),
            "question": question,
            "answer": answer,
            "facts": facts,
        }


def generated(seed: int) -> Iterator[dict[str, Any]]:
    """Yield new items until every dataset is exhausted. The items do not depend on how many are taken."""
    seen: set[str] = set()
    turns = {
        name: [Source(name, level, seed=seed, seen=seen) for level in _offered_levels(name)] for name in RULES
    }
    while turns:
        for name in list(turns):
            item = None
            while item is None and turns[name]:
                source = turns[name].pop(0)
                with contextlib.redirect_stdout(io.StringIO()):
                    item = next(source.items, None)
                if item is not None:
                    turns[name].append(source)
                    yield item
            if not turns[name]:
                del turns[name]


def _offered_levels(name: str) -> list[int | None]:
    levels = range(min(_levels(name), LEVEL_MAX + 1))
    return [None, *LEVELS.get(name, levels)]


def _levels(name: str) -> int:
    """Count the levels of the dataset's curriculum, or return 0 if it has none."""
    curricula = _package().CURRICULA
    if name not in curricula:
        return 0
    return max((len(attribute.levels) for attribute in curricula[name]().attributes.values()), default=0)


def _package() -> Any:
    """Import the package and return its registry. The import takes a second."""
    import reasoning_gym  # type: ignore[import-untyped]

    return reasoning_gym.factory


def _answer(name: str, entry: dict[str, Any], dataset: Any) -> str:
    """Return the package's answer, or our own where that is missing or wrong; empty if the item is unfit."""
    metadata = entry["metadata"]
    if name == "figlet_font" and metadata["font"] in UNCLEAR_FONTS:
        return ""
    if name == "graph_color":
        return json.dumps({str(vertex): color for vertex, color in metadata["possible_answer"].items()})
    if name == "rubiks_cube":
        return cube.undo_moves(metadata["scramble_moves"])
    if name == "rush_hour":
        return traffic.solution(metadata["board_config"]) or ""
    answer = str(entry["answer"]).replace("\r\n", "\n").strip()
    if name == "rearc" and not _puzzle_rules.is_grid_settled(entry["question"], answer, metadata["task_id"]):
        return ""
    return _puzzle_answers.correct_answer(name, entry["question"], answer, dataset)


def _is_right(puzzle: Puzzle, dataset: Any) -> bool:
    """Return whether the generator's answer is right. This is the only use of the package's scorers."""
    if clean_answer(puzzle.answer) is None:
        return False
    if puzzle.dataset in PACKAGED:
        entry = {"answer": puzzle.answer, "metadata": dict(puzzle.facts)}
        return bool(dataset.score_answer(puzzle.answer, entry) >= 1.0)
    try:
        return RULES[puzzle.dataset](puzzle, puzzle.answer) is True
    except UnparsableGold:
        return False


def main(seed: int, number: int, dataset: str = "", level: str = "") -> None:
    out = sys.stdout
    items = Source(dataset, int(level), seed=seed, seen=set()).items if dataset else generated(seed)
    for item in islice(items, number):
        out.write(json.dumps(item) + "\n")
        out.flush()


if __name__ == "__main__":
    _, seed_given, count_given, *only = sys.argv
    main(int(seed_given), int(count_given), *only)
