"""`python -m tests.mutation [WORD ...]`: put known faults into the code and check that tests fail.

The faults are in `mutants.toml`, each with the tests that must notice it. Given words select the faults whose
file or description contains one of the words. This works on copies of the source tree in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUTANTS = Path(__file__).with_name("mutants.toml")
TIMEOUT_S = 900
# Pytest's exit statuses: a test failed, or the tests could not even be collected.
KILLED = {1, 2}


@dataclass(frozen=True)
class Mutant:
    path: str
    fault: str
    old: str
    new: str
    tests: tuple[str, ...]

    def text(self, tree: Path) -> str:
        """Return the mutated file. Raises ``ValueError`` unless the text to replace occurs exactly once."""
        text = (tree / self.path).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path} has {text.count(self.old)} times: {self.old!r}")
        return text.replace(self.old, self.new)


def mutants_load(path: Path) -> list[Mutant]:
    files = tomllib.loads(path.read_text())["file"]
    return [
        Mutant(path=file["path"], tests=tuple(file["tests"]), **mutant)
        for file in files
        for mutant in file["mutants"]
    ]


def tree_copy(tree: Path, folder: Path) -> Path:
    """Copy the files that git tracks, and link the official data that some tests read."""
    copy = folder / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (tree / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, copy / name)
    (folder / "shared").symlink_to(tree.parent / "shared")
    return copy


def mutant_is_killed(mutant: Mutant, copy: Path, python: Path) -> bool:
    target = copy / mutant.path
    original, mutated = target.read_text(), mutant.text(copy)
    command = [str(python), "-m", "pytest", "-x", "-q", "--no-header", *mutant.tests]
    # The installed client is the one in the original tree, so the copy's client must come first.
    client = str(copy / "client" / "src")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": client}
    target.write_text(mutated)
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        target.write_text(original)
    if done.returncode not in {0, *KILLED}:
        raise RuntimeError(
            f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.returncode in KILLED


def mutants_run(mutants: list[Mutant], *, tree: Path, workers: int) -> list[Mutant]:
    """Run the mutants and return the survivors; each worker has its own copy of the tree."""
    python = tree / ".venv" / "bin" / "python"
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def run(mutant: Mutant) -> Mutant | None:
        copy = copies.get()
        try:
            is_killed = mutant_is_killed(mutant, copy, python if python.exists() else Path(sys.executable))
        finally:
            copies.put(copy)
        print(f"{'killed  ' if is_killed else 'SURVIVED'}  {mutant.path}: {mutant.fault}", flush=True)
        return None if is_killed else mutant

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as threads:
        for number in range(workers):
            (place := Path(folder) / str(number)).mkdir()
            copies.put(tree_copy(tree, place))
        return [mutant for mutant in threads.map(run, mutants) if mutant is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description="Put known faults into the code and check that tests fail.")
    parser.add_argument("words", nargs="*", help="only faults whose file or description has one of these")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout, with its own .venv")
    parser.add_argument("--mutants", type=Path, default=MUTANTS)
    options = parser.parse_args()
    mutants = [
        mutant
        for mutant in mutants_load(options.mutants)
        if not options.words or any(word in f"{mutant.path} {mutant.fault}" for word in options.words)
    ]
    for mutant in mutants:
        mutant.text(options.tree)
    survivors = mutants_run(mutants, tree=options.tree.resolve(), workers=options.workers)
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
