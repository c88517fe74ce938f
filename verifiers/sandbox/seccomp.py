"""System-call filters for bubblewrap's ``--seccomp``, from the lists in ``syscalls.toml``.

Programs may make only the calls that are listed. Browsers run many processes and have a sandbox of their own,
so they are only denied calls that rendering does not need. The filters have the format of Linux
``seccomp(2)``.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from core.text.toml import toml_load

LISTS = Path(__file__).with_name("syscalls.toml")
# Each architecture's column in the lists, and its code: AUDIT_ARCH_X86_64 or AUDIT_ARCH_AARCH64.
MACHINES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _KILL, _REFUSE = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_EPERM, _ENOSYS = 1, 38
_X32_CALLS = 0x4000_0000
# From this number on, calls have the same numbers on all architectures. The C library tries such a call
# (clone3) first and falls back to an older one only if it is told that the call does not exist.
_RECENT_CALLS = 424
Instruction = tuple[int, int, int, int]
Numbers = tuple[int, int]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that depends on the low 32 bits of one argument.

    It is allowed if they have all of ``bits`` and none of ``no_bits``, or are one of ``values``."""

    call: Numbers
    argument: int
    bits: int = 0
    no_bits: int = 0
    values: tuple[int, ...] = ()


class Lists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    allowed: dict[str, dict[str, Numbers]]
    ruled: list[Rule]
    refused_browser: dict[str, Numbers]


@cache
def seccomp_filter() -> bytes | None:
    """Build the BPF filter for programs; None on architectures whose call numbers are not listed."""
    machine = MACHINES.get(platform.machine())
    return None if machine is None else program_filter(*machine)


def program_filter(column: int, architecture: int) -> bytes:
    """Build the filter for programs on the architecture in this column of the lists."""
    lists = toml_load(LISTS, Lists)
    ruled = [instruction for rule in lists.ruled for instruction in _apply_rule(rule, column)]
    numbers = [numbers[column] for group in lists.allowed.values() for numbers in group.values()]
    return _pack(
        architecture,
        *ruled,
        *_answer_calls(numbers, _ALLOW),
        (_JUMP_AT_LEAST, 0, 1, _RECENT_CALLS),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),
        (_RETURN, 0, 0, _REFUSE | _EPERM),
    )


@cache
def browser_filter() -> bytes | None:
    """Build the BPF filter for browsers, whose own sandbox needs namespaces; None for unlisted machines."""
    machine = MACHINES.get(platform.machine())
    if machine is None:
        return None
    column, architecture = machine
    numbers = [numbers[column] for numbers in toml_load(LISTS, Lists).refused_browser.values()]
    refused = _answer_calls(numbers, _REFUSE | _EPERM)
    return _pack(architecture, *refused, (_RETURN, 0, 0, _ALLOW))


def _answer_calls(numbers: Iterable[int], answer: int) -> list[Instruction]:
    pairs = [((_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)) for number in numbers if number >= 0]
    return [instruction for pair in pairs for instruction in pair]


def _apply_rule(rule: Rule, column: int) -> list[Instruction]:
    """Build instructions that decide on this rule's call, and that any other call skips."""
    if rule.values:
        checks = _answer_calls(rule.values, _ALLOW)
    else:
        checks = [
            (_AND, 0, 0, rule.bits | rule.no_bits),
            (_JUMP_EQUAL, 0, 1, rule.bits),
            (_RETURN, 0, 0, _ALLOW),
        ]
    body = [(_LOAD, 0, 0, _ARGUMENTS + 8 * rule.argument), *checks, (_RETURN, 0, 0, _REFUSE | _EPERM)]
    return [(_JUMP_EQUAL, 0, len(body), rule.call[column]), *body]


def _pack(architecture: int, *rules: Instruction) -> bytes:
    """Pack the filter; ``rules`` start with the call's number loaded and must decide on every call."""
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32_CALLS),
        (_RETURN, 0, 0, _KILL),
        *rules,
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
