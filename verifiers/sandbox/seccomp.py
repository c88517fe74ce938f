"""System-call filters for bubblewrap's ``--seccomp``.

Programs get no new processes and no other kernel surface, but threads (``clone`` with ``CLONE_THREAD``). As
they cannot fork, a process's memory limit is the program's. Browsers, which are many processes, get only what
rendering needs. Filters as in Linux ``seccomp(2)``, numbers from
``asm/unistd_64.h``.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X86_64, _X32_CALLS = 0xC000003E, 0x4000_0000
_ALLOW, _KILL, _REFUSE = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_EPERM, _ENOSYS = 1, 38
_CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x10000
Instruction = tuple[int, int, int, int]
KERNEL = {
    "ptrace": 101, "syslog": 103, "pivot_root": 155, "mount": 165, "umount2": 166, "init_module": 175,
    "delete_module": 176, "quotactl": 179, "kexec_load": 246, "add_key": 248, "request_key": 249,
    "keyctl": 250, "perf_event_open": 298, "name_to_handle_at": 303, "open_by_handle_at": 304,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "pidfd_getfd": 438,
}  # fmt: skip
REFUSED = KERNEL | {
    "socket": 41, "socketpair": 53, "fork": 57, "vfork": 58, "personality": 135, "chroot": 161,
    "unshare": 272, "setns": 308, "execveat": 322,
}  # fmt: skip


def seccomp_filter() -> bytes | None:
    """The filter for programs as BPF; None on machines with other call numbers."""
    return _filter(
        [
            (_JUMP_EQUAL, 0, 1, _CLONE3),
            (_RETURN, 0, 0, _REFUSE | _ENOSYS),  # the C library then uses clone, whose flags can be read
            *_refused(REFUSED.values()),
            (_JUMP_EQUAL, 0, 3, _CLONE),
            (_LOAD, 0, 0, _FIRST_ARGUMENT),
            (_JUMP_SET, 1, 0, _CLONE_THREAD),
            (_RETURN, 0, 0, _REFUSE | _EPERM),
        ]
    )


def browser_filter() -> bytes | None:
    """The filter for browsers, whose own sandbox needs namespaces and processes; None as above."""
    return _filter(_refused(KERNEL.values()))


def _refused(numbers: Iterable[int]) -> list[Instruction]:
    pairs = [((_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | _EPERM)) for number in numbers]
    return [instruction for pair in pairs for instruction in pair]


def _filter(rules: Iterable[Instruction]) -> bytes | None:
    """``rules`` start with the call's number loaded; calls that pass them all are allowed."""
    if platform.machine() != "x86_64":
        return None
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32_CALLS),
        (_RETURN, 0, 0, _KILL),
        *rules,
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
