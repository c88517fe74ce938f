"""Scorers of the package ``reasoning-gym``, run in the sandbox for puzzles with many right answers.

Only scorers that do not evaluate the answer and cannot be fooled by text are run, and only on answers of the
shape given here. The scorer's source is passed to the sandbox as the program, with stand-ins for what it
imports from its package, so it needs no files of this machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from verifiers.puzzles.rule import Puzzle, Rule
from verifiers.sandbox import Suite, suite_run
from verifiers.types import UnparsableGold

PACKAGE = "reasoning_gym"
WORDS = re.compile(r"[A-Za-z]+", re.ASCII)
WORD_FILE = "words.csv"
NAMES = ("is_right",)

# Each scorer's module and the shape of its answers; several scorers would ignore any additional text.
_QUOTED_MOVE = r'"(?:fill [A-Z]|empty [A-Z]|pour [A-Z]->[A-Z])"'
_KNIGHT_MOVE = r'"[wB],[A-Z]\d{1,2},[A-Z]\d{1,2}"'
_DISK_MOVE = r"Move disk \d{1,2} from Peg \d to Peg \d"
PACKAGED: Mapping[str, tuple[str, str]] = {
    "cryptarithm": ("algorithmic.cryptarithm", r"[A-Z]\s*=\s*\d(?:\s*,\s*[A-Z]\s*=\s*\d)*"),
    "graph_color": ("algorithmic.graph_color", r'\{\s*"\d+"\s*:\s*\d+(?:\s*,\s*"\d+"\s*:\s*\d+)*\s*\}'),
    "jugs": ("algorithmic.jugs", rf"\[\s*{_QUOTED_MOVE}(?:\s*,\s*{_QUOTED_MOVE})*\s*\]"),
    "kakurasu": ("games.kakurasu", r"[01](?: ?[01])*(?:[ \t]*\n[01](?: ?[01])*)*"),
    "knight_swap": ("games.knight_swap", rf"(?i:no)|\[\s*{_KNIGHT_MOVE}(?:\s*,\s*{_KNIGHT_MOVE})*\s*\]"),
    "quantum_lock": ("graphs.quantum_lock", r"[A-C](?:\s*(?:→|->)\s*[A-C])*"),
    "shortest_path": (
        "graphs.shortest_path",
        r"infeasible|(?:up|down|left|right)(?:\s+(?:up|down|left|right))*",
    ),
    "tower_of_hanoi": ("games.tower_of_hanoi", rf"{_DISK_MOVE}(?:\s*\n\s*{_DISK_MOVE})*"),
    "word_ladder": ("algorithmic.word_ladder", r"[A-Za-z]+(?:\s*,\s*[A-Za-z]+)+"),
}

# Stand-ins for what a dataset's module imports from its package; a scorer needs nothing but the base class.
PROGRAM = """
import json, sys, types

class Anything:
    def __init__(self, *args, **named): pass
    def __getattr__(self, name): return Anything()

def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__path__ = []
    module.__dict__.update(members)
    module.__getattr__ = lambda _name: Anything
    sys.modules[name] = module

class Dataset:
    pass

class Words(dict):
    def __init__(self, known):
        self.known = set(known)
    def __missing__(self, length):
        return self.known

for name in ("{package}", "{package}.{folder}", "{package}.coaching", "{package}.utils"):
    stand_in(name)
stand_in("{package}.factory", ProceduralDataset=Dataset, register_dataset=lambda *args, **named: None)
stand_in("{package}.data", get_data_file_path=None, read_data_file=None)

module = types.ModuleType("{package}.{folder}.{module}")
module.__package__ = "{package}.{folder}"
sys.modules[module.__name__] = module
exec(compile({source!r}, "<scorer>", "exec", dont_inherit=True), module.__dict__)
kind = next(
    kind for kind in list(module.__dict__.values())
    if isinstance(kind, type) and issubclass(kind, Dataset) and "score_answer" in kind.__dict__
)

def is_right(given):
    question = json.loads(given)
    dataset = kind.__new__(kind)
    dataset.word_sets = Words(question["words"])
    return dataset.score_answer(question["answer"], question["entry"]) >= 1.0
"""


def make_package_rule(place: str) -> Rule:
    """Make a rule that runs the scorer at ``place``, which is ``<folder>.<module>`` in the package.

    The rule raises ``SandboxMissing``, and ``UnparsableGold`` if the scorer rejects the generator's own
    answer.
    """

    def rule(puzzle: Puzzle, answer: str) -> bool | None:
        gold, given, program = _call(puzzle, puzzle.answer), _call(puzzle, answer), _program(place)
        accepts_gold, accepts_given = suite_run(program, Suite(names=NAMES, pairs=(gold, given))).passed
        # The answer may have ended the run before the gold's result was reported, so the gold is run alone.
        if not accepts_gold and not suite_run(program, Suite(names=NAMES, pairs=(gold,))).is_pass:
            raise UnparsableGold(f"{puzzle.dataset}: the package's scorer refuses the package's answer")
        return accepts_gold and accepts_given

    return rule


def _call(puzzle: Puzzle, answer: str) -> tuple[str, bool]:
    """Build the scorer's call, and the value that it returns if the answer is right."""
    entry = {"answer": puzzle.answer, "metadata": dict(puzzle.facts)}
    words: set[str] = set()
    if puzzle.dataset == "word_ladder":
        words = {word.upper() for word in WORDS.findall(answer)} & _dictionary()
    question = json.dumps({"answer": answer, "entry": entry, "words": sorted(words)})
    return f"is_right({question!r})", True


@cache
def _dictionary() -> frozenset[str]:
    text = (_package() / "data" / WORD_FILE).read_text(encoding="utf-8")
    return frozenset(word.upper() for word in WORDS.findall(text))


@cache
def _program(place: str) -> str:
    folder, module = place.split(".")
    source = (_package() / folder / f"{module}.py").read_text(encoding="utf-8")
    fields = {"package": PACKAGE, "folder": folder, "module": module, "source!r": repr(source)}
    return re.sub(r"\{([a-z!]+)\}", lambda match: fields.get(match[1], match[0]), PROGRAM)


@cache
def _package() -> Path:
    """Find the package's folder without importing the package, which would take a second."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{PACKAGE} is not installed (requirements-puzzles.txt has it).")
    return Path(spec.submodule_search_locations[0])
