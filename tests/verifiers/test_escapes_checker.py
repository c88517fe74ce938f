"""What hostile programs try on their checker: each is judged incorrect."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.verifiers.attacks import SECRET, WRONG, assert_caught, public_folder

__all__ = ["public_folder"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"),
]

# Fooling the checker


def test_a_result_that_equals_everything() -> None:
    assert_caught("class Any:\n    def __eq__(self, other): return True\ndef answer(): return Any()\n")


@pytest.mark.parametrize("base", ["str", "int", "float", "list", "dict", "tuple", "set"])
def test_a_result_of_a_plain_kind_that_equals_everything(base: str) -> None:
    program = (
        f"class Any({base}):\n    def __eq__(self, other): return True\n    __hash__ = {base}.__hash__\n"
    )
    assert_caught(program + "def answer(): return Any()\n")


@pytest.mark.parametrize("name", ["sorted", "set", "len", "abs", "AssertionError", "isinstance"])
def test_redefining_builtins(name: str) -> None:
    program = f"""
import builtins
class Same:
    def __eq__(self, other): return True
{name} = lambda *given, **named: Same()
builtins.{name} = {name}
def answer(): return 'wrong'
"""
    wrapped = name if name not in {"AssertionError", "isinstance"} else "str"
    assert_caught(program, f"assert {wrapped}(answer()) == {wrapped}({SECRET!r})" if wrapped != "abs" else
                  "assert abs(len(answer())) == abs(-14)")  # fmt: skip


def test_monkeypatching_the_channel_to_the_checker() -> None:
    program = """
import json, sys
main = sys.modules.get("__main__")
json.dumps = lambda *given, **named: '{"value": true, "passed": [true], "is_started": true}'
json.loads = lambda *given, **named: {"do": "name", "arguments": ["answer"], "named": {}}
for module in list(sys.modules.values()):
    for name in ("encode", "decode", "is_same"):
        if hasattr(module, name):
            setattr(module, name, lambda *given: True)
def answer(): return 'wrong'
"""
    assert_caught(program)


def test_patching_the_module_that_an_assert_uses() -> None:
    program = "import math\nmath.isclose = lambda *given, **named: True\ndef answer(): return 5.0\n"
    assert_caught(program, "assert math.isclose(answer(), 1.0)")


@pytest.mark.parametrize("descriptor", range(1, 12))
def test_writing_a_passing_report_to_every_descriptor(descriptor: int) -> None:
    line = (
        '{"nonce": "", "is_started": true}\\n{"nonce": "", "passed": [true], "detail": "", "values": []}\\n'
    )
    program = f"import os\n{WRONG}try:\n    os.write({descriptor}, b'{line}')\nexcept OSError:\n    pass\n"
    assert_caught(program)


def test_printing_the_success_marker() -> None:
    assert_caught(f"print('passed')\nprint('OK')\nprint({{'passed': [True]}})\n{WRONG}")


def test_unsolicited_replies_pass_no_assert() -> None:
    program = """
import gc, socket
for thing in gc.get_objects():
    if isinstance(thing, socket.socket):
        thing.sendall(b'{"value": true}\\n' * 50)
def answer(): return 'wrong'
"""
    assert_caught(program)


def test_pickles_are_never_opened(public_folder: Path) -> None:
    program = f"""
import os
class Bomb:
    def __reduce__(self):
        return (os.system, ("touch {public_folder}/mark",))
def answer(): return Bomb()
"""
    assert_caught(program)
    assert list(public_folder.iterdir()) == []


@pytest.mark.parametrize(
    "reply",
    ["'x' * 50_000_000", "[[]] * 1", "(lambda a: a.append(a) or a)([])", "float('nan')", "10 ** 5000",
     "'\\ud800'", "{1: {2: {3: object()}}}", "(i for i in iter(int, 1))"],
)  # fmt: skip
def test_return_values_that_are_hard_to_decode(reply: str) -> None:
    assert_caught(f"def answer(): return {reply}\n")


@pytest.mark.parametrize(
    "reply",
    [b"[" * 100_000, b'{"value": {"object": "x"}}', b'{"value": {"int": "z"}}', b"x" * 5_000_000, b"\xff"],
)
def test_raw_replies_that_are_not_values(reply: bytes) -> None:
    program = f"""
import gc, socket
def answer():
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket):
            thing.sendall({reply!r} + b"\\n")
{WRONG.replace("answer", "other")}"""
    assert_caught(program)


@pytest.mark.parametrize(
    "program", ["\x00", "def answer(:", "\ud800", "x" * 100_000, "# -*- coding: nonsense -*-"]
)
def test_text_that_is_not_a_program(program: str) -> None:
    assert_caught(program)
