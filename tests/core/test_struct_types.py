"""A record type that several threads use first at the same time must not end the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# With many types, threads that begin together and switch at every chance, one that is not prepared is met.
PROGRAM = """
import sys, threading, types
import msgspec
from core.structs.schema import structs_prepare

SOURCE = '''
from __future__ import annotations
from typing import Annotated, Literal
import msgspec
Count = Annotated[int, msgspec.Meta(ge=1)]
class Body(msgspec.Struct):
    run: int
    tasks: list[int]
    arm: Literal["gym", "text"] = "gym"
    count: Count | None = None
    names: dict[str, str] | None = None
'''
BODY = {"run": 1, "tasks": [1], "arm": "gym", "count": 2, "names": {"x": "y"}}
modules = []
for number in range(400):
    module = sys.modules[f"shapes_{number}"] = types.ModuleType(f"shapes_{number}")
    exec(SOURCE, module.__dict__)
    modules.append(module)
structs_prepare()
sys.setswitchinterval(1e-6)
for module in modules:
    barrier = threading.Barrier(4)
    def use():
        barrier.wait()
        msgspec.convert(BODY, module.Body)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
LOADED = """
import sys
from core.structs import schema as struct_types
prepare = struct_types.structs_prepare
struct_types.structs_prepare = lambda: print(*sorted(sys.modules), prepare())
import {door}
"""


def python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_prepared_types_are_used_by_threads_at_once() -> None:
    run = python(PROGRAM)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(
    ("door", "page"),
    [
        ("gymsite.wsgi_arena", "gymsite.arena.events"),
        ("gymsite.wsgi_lab", "trajectories.rollouts.episodes.creation_body"),
    ],
)
def test_doors_prepare_types_once_their_pages_are_loaded(door: str, page: str, tmp_path: Path) -> None:
    run = python(LOADED.format(door=door), VAR_DIR=str(tmp_path))
    assert page in run.stdout.split(), run.stderr
