"""The check of commit messages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.commit_message import SCISSORS, WIDTH, find_problems
from gymsite.services.processes import BASE_DIR


@pytest.mark.parametrize(
    "message",
    [
        "Add a tour of the lab",
        "Bring the queue back after a restart",
        "Seed the demo's worlds",
        "Pass the run's key on",
        "Focus the field that was refused",
        "Start, watch and stop the workers",
        "Re-raise what the worker caught",
        f"Add {'x' * (WIDTH - 4)}",
        "Show the picture\n\nIt was hidden in narrow windows.\n",
        f"Cite the source\n\nhttps://example.org/{'a' * WIDTH}\n",
        "fixup! Show the picture",
        f"Show the picture\n# {'a comment of git ' * 9}\n",
        f"Show the picture\n\nWhy.\n{SCISSORS}\n{'the diff ' * 20}\n",
    ],
)
def test_a_good_message_has_no_problems(message: str) -> None:
    assert find_problems(message) == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("", "begin with a capitalised verb"),
        ("add a tour", "begin with a capitalised verb"),
        ("fix: a tour", "begin with a capitalised verb"),
        ("Lab: add a tour", "begin with a capitalised verb"),
        ("Added a tour", "use the imperative"),
        ("Adds a tour", "use the imperative"),
        ("Adding a tour", "use the imperative"),
        ("The tour begins at the first step", "use the imperative"),
        ("fixup! Added a tour", "use the imperative"),
        ("Add a tour.", "full stop"),
        (f"Add {'x' * (WIDTH - 3)}", f"{WIDTH + 1} characters"),
        ("Add a tour\nof the lab", "second line is not blank"),
        (f"Add a tour\n\n{'why ' * 18}not", "Line 3 has 75 characters"),
    ],
)
def test_a_bad_message_has_one_problem_that_is_named(message: str, problem: str) -> None:
    (only,) = find_problems(message)
    assert problem in only


def test_a_commit_with_a_bad_message_and_a_merge_are_refused(tmp_path: Path) -> None:
    git = shutil.which("git")
    assert git
    who = {
        f"GIT_{role}_{part}": "t@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **who, "PYTHONPATH": str(BASE_DIR), "GIT_CONFIG_GLOBAL": os.devnull}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [git, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    run("init", "--initial-branch=main")
    hook = tmp_path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec {sys.executable} -m deploy.commit_message "$1"\n')
    hook.chmod(0o755)
    commit = ("commit", "--allow-empty", "-m")
    assert "use the imperative" in run(*commit, "Added a file").stderr
    assert run(*commit, "Add a file").returncode == 0
    run("switch", "--create", "side")
    assert run(*commit, "Add another file").returncode == 0
    run("switch", "main")
    merged = run("merge", "--no-ff", "-m", "Join the side", "side")
    assert merged.returncode != 0
    assert "rebase the branch" in merged.stderr
