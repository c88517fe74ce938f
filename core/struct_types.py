"""Record types of msgspec in processes with threads."""

from __future__ import annotations

import contextlib

import msgspec


def structs_prepare() -> None:
    """Initialise every struct; call it once all code is loaded, before threads decode records.

    msgspec (0.22) reads them when a struct is first used, and lets another thread that uses it then see it
    half read: the process dies of a segmentation fault.
    """
    structs: list[type[msgspec.Struct]] = [msgspec.Struct]
    for struct in structs:
        structs += struct.__subclasses__()
        with contextlib.suppress(TypeError):  # one that is only written may not be readable
            msgspec.json.Decoder(struct)
