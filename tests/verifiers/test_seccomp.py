"""The filter for programs, run as the kernel would run it, for both kinds of machine."""

from __future__ import annotations

import struct

import pytest

from core.text.toml import toml_load
from verifiers.sandbox import seccomp
from verifiers.sandbox.seccomp import LISTS, MACHINES, Lists

ALLOWED, KILLED = 0x7FFF_0000, 0x8000_0000
EPERM, ENOSYS = 0x0005_0001, 0x0005_0026
BRK, MMAP, CLONE, FCNTL, MADVISE = (12, 214), (9, 222), (56, 220), (72, 25), (28, 233)
THREAD = 0x3D0F00


def answered(code: bytes, *, number: int, arguments: tuple[int, ...] = (), architecture: int) -> int:
    """What a filter returns for a call."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *[0] * (6 - len(arguments))))
    instructions = list(struct.iter_unpack("=HBBI", code))
    place = accumulator = 0
    while True:
        operation, if_true, if_false, value = instructions[place]
        place += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x54:
                accumulator &= value
            case 0x15:
                place += if_true if accumulator == value else if_false
            case 0x35:
                place += if_true if accumulator >= value else if_false
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(operation)


@pytest.fixture(params=MACHINES, ids=MACHINES)
def machine(request: pytest.FixtureRequest) -> tuple[int, int, bytes]:
    place, architecture = MACHINES[request.param]
    return place, architecture, seccomp.program_filter(place, architecture)


@pytest.mark.parametrize(
    ("numbers", "arguments", "answer"),
    [
        (BRK, (), ALLOWED),
        (MMAP, (0, 4096, 3, 0x22), ALLOWED),
        (MMAP, (0, 4096, 3, 0x21), EPERM),
        (MMAP, (0, 4096, 1, 0x01), EPERM),
        (MMAP, (0, 4096, 3, 0x03), EPERM),
        (CLONE, (THREAD,), ALLOWED),
        (CLONE, (17,), EPERM),
        (CLONE, (0x4111,), EPERM),
        (FCNTL, (3, 1030), ALLOWED),
        (FCNTL, (3, 6), EPERM),
        (FCNTL, (3, 1031), EPERM),
        (MADVISE, (0, 4096, 4), ALLOWED),
        (MADVISE, (0, 4096, 14), EPERM),
        (MADVISE, (0, 4096, 25), EPERM),
        ((29, 194), (), EPERM),  # shmget
        ((64, 190), (), EPERM),  # semget
        ((68, 186), (), EPERM),  # msgget
        ((319, 279), (), EPERM),  # memfd_create
        ((240, 180), (), EPERM),  # mq_open
        ((206, 0), (), EPERM),  # io_setup
        ((41, 198), (), EPERM),  # socket
        ((46, 211), (), EPERM),  # sendmsg
        ((435, 435), (), ENOSYS),  # clone3
        ((425, 425), (), ENOSYS),  # io_uring_setup
        ((447, 447), (), ENOSYS),  # memfd_secret
        ((1000, 1000), (), ENOSYS),
    ],
)
def test_what_a_program_may_call(
    machine: tuple[int, int, bytes], numbers: tuple[int, int], arguments: tuple[int, ...], answer: int
) -> None:
    place, architecture, code = machine
    assert answered(code, number=numbers[place], arguments=arguments, architecture=architecture) == answer


def test_every_listed_call_is_allowed_and_no_other(machine: tuple[int, int, bytes]) -> None:
    place, architecture, code = machine
    lists = toml_load(LISTS, Lists)
    listed = {numbers[place] for group in lists.allowed.values() for numbers in group.values()} - {-1}
    ruled = {rule.call[place] for rule in lists.ruled}
    assert not listed & ruled
    for number in set(range(600)) - ruled:
        is_allowed = answered(code, number=number, architecture=architecture) == ALLOWED
        assert is_allowed == (number in listed)


def test_calls_of_another_machine_end_the_program(machine: tuple[int, int, bytes]) -> None:
    place, architecture, code = machine
    assert answered(code, number=BRK[place], architecture=0x4000_0003) == KILLED
    assert answered(code, number=0x4000_0000, architecture=architecture) == KILLED
