"""`python -m tests.doors [NAME ...]`: the client's doors and foreign browsers, each with the real package.

Each is installed into an environment of its own, `.venv-doors/<name>`, for what they pin clashes; one
installation serves all. Tests run outside the repository, whose folder `verifiers` would hide the package of
that name. Printed at the end is the table of what each door was paid; `--table` plays its episodes alone.
Status 1 when a test fails or a door could not be tried.
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
# What is installed before a door. TORCH="torch==2.13.0+cpu" spares a machine without a GPU gigabytes of CUDA.
TORCH = os.environ.get("TORCH", "torch")
BEFORE = {"trl": (TORCH, "gguf>=0.19", "pip"), "grpo": (TORCH,), "exports": (TORCH,), "verl": (TORCH,)}
# Pythons that a package takes, from the first up to before the second; others take that of this installation.
# DOORS_PYTHONS="/path/to/python3.12:..." names some that are not found by PATH.
TAKEN = {"agentlab": ((3, 11), (3, 13)), "verl": ((3, 10), (3, 13)), "nemo_gym": ((3, 12), (3, 15))}
# Without an extra of the client's: browsers that play without it, what is measured, the example that trains.
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
# Tests that are played in the environment of others.
SHARED = {"grpo_thoughts": "grpo"}
# Whose own requirements are left out: AgentLab's 230 are for models and for benchmarks that no test plays.
BARE = {"agentlab": "agentlab==0.4.2"}
STAGED = {"gymnasium", "trl"}  # played through a stage, too
NODE_PACKAGES = {"playwright_mcp": "@playwright/mcp@0.0.83"}
# Threads of torch that have nothing to do leave their core to the browsers: half the time for TRL.
IDLE = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "PASSIVE"}
LAST_LINES = 5
TABLE_TESTS = "of_the_table"


class NotInstalled(Exception):
    """A door's packages could not be installed; says why."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.doors", description=__doc__)
    known = sorted(path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py"))
    parser.add_argument("names", nargs="*", metavar="NAME", default=known, help=f"of {', '.join(known)}")
    parser.add_argument("--table", action="store_true", help="only the episodes of the table of doors")
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
    """The Python of a door's environment, which is made when it is new or what it needs has changed."""
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
    """A Python that a door's package takes. Raises ``NotInstalled``."""
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
    """Of an interpreter; empty where there is none that runs."""
    if shutil.which(python) is None:
        return ()
    question = "import sys; print(*sys.version_info[:2])"
    answer = subprocess.run([python, "-c", question], capture_output=True, text=True)
    return tuple(int(part) for part in answer.stdout.split())


def _install(command: list[str]) -> None:
    """Run an installer. Raises ``NotInstalled`` where it is missing or fails."""
    if shutil.which(command[0]) is None:
        raise NotInstalled(f"there is no {command[0]} on this machine")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise NotInstalled(" ".join(done.stderr.strip().splitlines()[-LAST_LINES:]) or f"{command[0]} failed")


def _pip(python: Path) -> list[str]:
    """Some pip of this machine, which installs into the environment from outside."""
    for candidate in (sys.executable, "python3"):
        if subprocess.run([candidate, "-m", "pip", "--version"], capture_output=True).returncode == 0:
            return [candidate, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    raise NotInstalled("there is no pip on this machine")


def _played(pythons: dict[str, Path], *, is_table: bool) -> dict[str, str]:
    """Run the tests of each door against one installation, and print the table of what they were paid."""
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
    """The environment of the tests. The installation gets a key for them, and a judge."""
    key = manage(up, "create_key", "--name", "doors", "--scopes", "read,trainer,guidance")
    (folder / "judge.toml").write_text(JUDGE)
    manage(up, "judge", str(folder / "judge.toml"), "--run", "0")
    passed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = f"http://127.0.0.1:{up.ports['LAB_PORT']}"
    return passed | {"PALAESTRA_SERVER": server, "PALAESTRA_KEY": key} | IDLE


if __name__ == "__main__":
    sys.exit(main())
