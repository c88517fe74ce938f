"""A filter of system calls for bubblewrap's ``--seccomp``: no new processes, no other kernel surface.

Threads are left: ``clone`` with ``CLONE_THREAD``. A process that cannot fork makes its memory limit the
limit of the whole program. Filters as in Linux ``seccomp(2)``, numbers from ``asm/unistd_64.h``.
"""

from __future__ import annotations

import platform
import struct

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X86_64, _X32_CALLS = 0xC000003E, 0x4000_0000
_ALLOW, _KILL, _REFUSE = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_EPERM, _ENOSYS = 1, 38
_CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x10000
REFUSED = {
    "socket": 41, "socketpair": 53, "fork": 57, "vfork": 58, "ptrace": 101, "syslog": 103, "personality": 135,
    "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166, "init_module": 175, "quotactl": 179,
    "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "bpf": 321, "execveat": 322,
    "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "pidfd_getfd": 438,
}  # fmt: skip


def seccomp_filter() -> bytes | None:
    """The filter as BPF; None on a machine whose calls have other numbers."""
    if platform.machine() != "x86_64":
        return None
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32_CALLS),
        (_RETURN, 0, 0, _KILL),
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _REFUSE | _ENOSYS),  # the C library then uses clone, whose flags can be read
    ]
    for number in REFUSED.values():
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE | _EPERM)]
    code += [
        (_JUMP_EQUAL, 0, 3, _CLONE),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_SET, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _REFUSE | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
