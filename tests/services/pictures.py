"""Small pictures that nobody has stored before."""

from __future__ import annotations

import struct
import zlib


def picture_make(words: str) -> bytes:
    """Make a PNG of grey rows, with the words in a text chunk."""
    rows = b"".join(b"\0" + bytes([line * 4 % 256]) * 160 for line in range(100))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 160, 100, 8, 0, 0, 0, 0)),
        (b"tEXt", b"Comment\0" + words.encode()),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
