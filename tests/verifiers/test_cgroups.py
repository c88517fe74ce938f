"""Groups around sandboxes, in a folder that stands for /sys/fs/cgroup: no kernel answers there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from verifiers.sandbox import Suite, cgroups, suite_run
from verifiers.sandbox.limits import CANDIDATE_MEMORY_BYTES, HOME_BYTES

FILES = (
    "cgroup.procs",
    "cgroup.kill",
    "memory.max",
    "memory.swap.max",
    "memory.oom.group",
    "pids.max",
    "cpu.weight",
)


@pytest.fixture
def group(tmp_path: Path, monkeypatch: Any) -> Path:
    """A delegated group in which this process and another one run; removed groups stay, to be looked at."""
    root, own = tmp_path / "cgroup", tmp_path / "own"
    group = root / "user.slice" / "gym.scope"
    group.mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.subtree_control").touch()
    (group / "cgroup.procs").write_text(f"{os.getpid()}\n")
    own.write_text("0::/user.slice/gym.scope\n")

    def make(made: Path) -> None:
        made.mkdir(exist_ok=True)
        for name in FILES:
            (made / name).touch()
            (made / name).chmod(0o600)

    monkeypatch.setattr(cgroups, "ROOT", root)
    monkeypatch.setattr(cgroups, "OWN", own)
    monkeypatch.setattr(cgroups, "END_S", 0.0)
    monkeypatch.setattr(cgroups, "_make", make)
    monkeypatch.setattr(cgroups, "_is_ours", lambda _group: True)
    monkeypatch.setattr(cgroups, "_parent", None)
    return group


def boxes(group: Path) -> list[Path]:
    return sorted(group.glob("sandbox-*"))


def test_a_delegated_group_moves_its_processes_to_a_leaf_and_passes_its_controllers_on(group: Path) -> None:
    assert cgroups.problem() is None
    cgroups.prepare()
    assert (group / "palaestra" / "cgroup.procs").read_text() == str(os.getpid())
    assert (group / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    (cgroups.OWN).write_text("0::/user.slice/gym.scope/palaestra\n")
    assert cgroups.find_delegated() == group


def test_a_group_has_limits_and_is_killed_in_the_end(group: Path) -> None:
    cgroups.prepare()
    with cgroups.group_open() as processes:
        assert processes is not None
        (box,) = boxes(group)
        content = {name: (box / name).read_text() for name in FILES}
        assert CANDIDATE_MEMORY_BYTES + HOME_BYTES < int(content.pop("memory.max")) < 2**30
        assert content == {
            "cgroup.procs": "", "cgroup.kill": "", "memory.swap.max": "0", "memory.oom.group": "1",
            "pids.max": "96", "cpu.weight": "50",
        }  # fmt: skip
    assert (box / "cgroup.kill").read_text() == "1"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_program_and_checker_each_enter_a_group_before_anything_runs(group: Path) -> None:
    cgroups.prepare()
    program = "import sys\nprint('seen')\nprint('too', file=sys.stderr)\ndef f():\n    return 3"
    report = suite_run(program, Suite(names=["f"], asserts=["assert f() == 3"]))
    assert report.is_pass
    assert sorted(report.output.split()) == ["seen", "too"]
    assert [(box / "cgroup.procs").read_text() for box in boxes(group)] == ["0\n", "0\n"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_nothing_runs_outside_the_group_that_it_cannot_enter(group: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = cgroups.enter_group(["touch", str(mark)], errors=cgroups.PASSED_ON)
    with Path("/dev/full").open("w") as refusing:
        assert os.waitstatus_to_exitcode(_run(command, stderr=refusing.fileno())) != 0
    assert not mark.exists()


def _run(command: list[str], *, stderr: int) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, stderr, 2)]
    return os.waitpid(os.posix_spawn(command[0], command, {"PATH": "/usr/bin"}, file_actions=actions), 0)[1]


def test_a_killed_workers_groups_are_removed(group: Path, monkeypatch: Any) -> None:
    (group / "sandbox-1-1").mkdir()
    cgroups.prepare()
    assert boxes(group) == []


@pytest.mark.parametrize("missing", ["cgroup.controllers", "memory", "mark"])
def test_without_delegation_there_are_no_groups_and_a_message_says_so(
    group: Path, monkeypatch: Any, missing: str
) -> None:
    if missing == "memory":
        (group / "cgroup.controllers").write_text("cpu pids\n")
    elif missing == "mark":
        monkeypatch.undo()
        monkeypatch.setattr(cgroups, "_is_ours", lambda _group: False)
    else:
        (cgroups.ROOT / missing).unlink()
    cgroups.prepare()
    with cgroups.group_open() as processes:
        assert processes is None
    assert "Delegate=yes" in str(cgroups.problem())


def test_root_takes_no_group_without_systemds_mark(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "listxattr", lambda _path: ["user.other"])
    assert not cgroups._is_ours(tmp_path)
    monkeypatch.setattr(os, "listxattr", lambda _path: ["user.delegate"])
    assert cgroups._is_ours(tmp_path)
