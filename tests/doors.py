"""`python -m tests.doors [NAME ...]`: the client's doors and foreign browsers, each with the real package.

Each package is installed into its own environment, `.venv-doors/<name>`, because their pinned versions clash;
all share one installation. Tests run outside the repository, because its folder `verifiers` would hide the
package of that name. At the end, the table of what each door was paid is printed; `--table` plays only that
table's episodes. The exit status is 1 if a test fails or a door could not be tried.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gymsite.services.processes import BASE_DIR
from tests.doors_table import JUDGE, table_of
from tests.services.canaries import manage
from tests.services.installations import Up
from tests.services.kills import installed

CLIENT = BASE_DIR / "client"
TESTS = CLIENT / "tests" / "doors"
HOMES = BASE_DIR / ".venv-doors"
TOOLS = ("pytest>=8", "pytest-asyncio>=0.24")
# Packages that are installed before a door's. TORCH="torch==2.13.0+cpu" avoids gigabytes of CUDA libraries on
# a machine without a GPU.
TORCH = os.environ.get("TORCH", "torch")
BEFORE = {"trl": (TORCH, "gguf>=0.19", "pip"), "grpo": (TORCH,), "exports": (TORCH,), "verl": (TORCH,)}
# The Python versions that a package supports: at least the first, and lower than the second. Other packages
# use the Python of this installation. DOORS_PYTHONS="/path/to/python3.12:..." names interpreters that are not
# on PATH.
TAKEN = {"agentlab": ((3, 11), (3, 13)), "verl": ((3, 10), (3, 13)), "nemo_gym": ((3, 12), (3, 15))}
# Packages for tests without an extra of the client: browsers that play without the client, measurements, and
# the training example.
OTHERS = {
    "playwright": (),
    "playwright_mcp": ("mcp==2.3.0",),
    "browser_use": ("browser-use==0.13.14",),
    "agentlab": (
        *("browsergym-core==0.14.3", "browsergym-experiments==0.14.3", "pandas==3.1.1", "pydantic==2.14.4"),
        *("ipython==9.18.1", "gitpython==3.2.1", "python-slugify==9.2.0", "tqdm==4.70.1"),
    ),
    "miniwob": ("browsergym-core==0.14.3", "browsergym-miniwob==0.14.3", "miniwob==1.1.0"),
    "exports": ("trl==1.16.0", "pillow==13.0.0"),
    "grpo": ("transformers==5.23.0", "peft==0.21.0"),
}
# Tests that run in another test's environment.
SHARED = {"grpo_thoughts": "grpo"}
# Packages that are installed without their requirements. AgentLab's 230 are for models and benchmarks that no
# test uses.
BARE = {"agentlab": "agentlab==0.4.2"}
STAGED = {"gymnasium", "trl"}  # also played through a stage
NODE_PACKAGES = {"playwright_mcp": "@playwright/mcp@0.0.83"}
# Idle threads of torch leave their core to the browsers, which halves the time of TRL's tests.
IDLE = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "PASSIVE"}
LAST_LINES = 5
TABLE_TESTS = "of_the_table"


class NotInstalled(Exception):
    """Raised if a door's packages could not be installed; the message says why."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.doors", description=__doc__)
    known = sorted(path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py"))
    parser.add_argument("names", nargs="*", metavar="NAME", default=known, help=f"of {', '.join(known)}")
    parser.add_argument("--table", action="store_true", help="play only the episodes of the table")
    options = parser.parse_args()
    names = options.names
    if unknown := set(names) - set(known):
        parser.error(f"no tests for {', '.join(sorted(unknown))}")
    results, pythons = {}, {}
    for name in names:
        try:
            pythons[name] = home_make(SHARED.get(name, name))
        except NotInstalled as problem:
            results[name] = f"NOT RUN: {problem}"
    if pythons:
        results |= _played(pythons, is_table=options.table)
    print("\n" + "\n".join(f"{name:12} {results[name]}" for name in names))
    return 0 if set(results.values()) == {"passed"} else 1


def home_make(name: str) -> Path:
    """Return the Python of a door's environment, which is created or updated if its requirements changed."""
    home = HOMES / name
    python, stamp = home / "bin" / "python", home / "installed"
    node = NODE_PACKAGES.get(name, "")
    named = f"{(CLIENT / 'pyproject.toml').read_text()}{OTHERS.get(name)}{BARE.get(name, '')}{node}"
    needs = hashlib.sha256(named.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == needs:
        return python
    print(f"Installing what the door {name} needs into {home.relative_to(BASE_DIR)} ...", flush=True)
    if not python.exists():
        subprocess.run([_interpreter(name), "-m", "venv", "--without-pip", home], check=True)
    extras = name.replace("_", "-") + ",stage" * (name in STAGED)
    client = str(CLIENT) if name in OTHERS else f"{CLIENT}[{extras}]"
    if name in BEFORE:
        _install([*_pip(python), "install", "--quiet", *BEFORE[name]])
    packages = ("--editable", client, *OTHERS.get(name, ()), *TOOLS)
    _install([*_pip(python), "install", "--quiet", *packages])
    if name in BARE:
        _install([*_pip(python), "install", "--quiet", "--no-deps", BARE[name]])
    if node:
        _install(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(home), node])
    stamp.write_text(needs)
    return python


def _interpreter(name: str) -> str:
    """Return a Python that a door's package supports. Raises ``NotInstalled`` if there is none."""
    if name not in TAKEN:
        return sys.executable
    first, end = TAKEN[name]
    named = [path for path in os.environ.get("DOORS_PYTHONS", "").split(os.pathsep) if path]
    versions = [f"python3.{minor}" for minor in range(first[1], end[1])]
    for candidate in (sys.executable, *named, *versions):
        if first <= _version(candidate) < end:
            return candidate
    raise NotInstalled(f"it needs one of {', '.join(versions)}; DOORS_PYTHONS takes paths")


def _version(python: str) -> tuple[int, ...]:
    """Return an interpreter's version; empty if it does not exist or cannot be run."""
    if shutil.which(python) is None:
        return ()
    question = "import sys; print(*sys.version_info[:2])"
    answer = subprocess.run([python, "-c", question], capture_output=True, text=True)
    return tuple(int(part) for part in answer.stdout.split())


def _install(command: list[str]) -> None:
    """Run an installer. Raises ``NotInstalled`` if it is missing or fails."""
    if shutil.which(command[0]) is None:
        raise NotInstalled(f"there is no {command[0]} on this machine")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NotInstalled(" ".join(done.stderr.strip().splitlines()[-LAST_LINES:]) or f"{command[0]} failed")


def _pip(python: Path) -> list[str]:
    """Return the command of any pip on this machine that can install into the environment from outside."""
    for candidate in (sys.executable, "python3"):
        if subprocess.run([candidate, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return [candidate, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    raise NotInstalled("there is no pip on this machine")


def _played(pythons: dict[str, Path], *, is_table: bool) -> dict[str, str]:
    """Run each door's tests against one installation, and print the table of what the doors were paid."""
    results = {}
    folder = Path(tempfile.mkdtemp(prefix="doors-"))
    table = folder / "table.jsonl"
    only = ["-k", TABLE_TESTS] if is_table else []
    try:
        up = Up(folder / "var")
        with installed(up):
            environment = _prepared(up, folder) | {"PALAESTRA_DOORS_TABLE": str(table)}
            for name, python in pythons.items():
                print(f"\n== {name}", flush=True)
                command = [
                    python,
                    "-m",
                    "pytest",
                    "-c",
                    TESTS / "pytest.ini",
                    TESTS / f"test_{name}.py",
                    *only,
                ]
                done = subprocess.run(command, cwd=folder, env=environment)
                results[name] = "FAILED" if done.returncode else "passed"
        print(f"\n{table_of(table)}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return results


def _prepared(up: Up, folder: Path) -> dict[str, str]:
    """Create a key and a judge in the installation, and return the tests' environment variables."""
    key = manage(up, "create_key", "--name", "doors", "--scopes", "read,trainer,guidance")
    (folder / "judge.toml").write_text(JUDGE)
    manage(up, "judge", str(folder / "judge.toml"), "--run", "0")
    passed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = f"http://127.0.0.1:{up.ports['LAB_PORT']}"
    return passed | {"PALAESTRA_SERVER": server, "PALAESTRA_KEY": key} | IDLE


if __name__ == "__main__":
    sys.exit(main())
