"""A perceptual hash: similar pictures have hashes that differ in few bits.

This is pHash (C. Zauner, Implementation and Benchmarking of Perceptual Image Hash Functions, 2010): shrink
the grey picture to 32 x 32; take its two-dimensional cosine transform (DCT-II); keep the 8 x 8 lowest
frequencies; each gives a bit, row by row: whether it is above their median.
"""

from __future__ import annotations

import math
from operator import mul
from statistics import median

from PIL import Image

SIDE = 32
FREQUENCIES = 8
BITS = FREQUENCIES * FREQUENCIES
# In a picture of one colour all frequencies but one are zero: rounding errors must not become bits.
DECIMALS = 6

_WAVES = tuple(
    tuple(math.cos(math.pi * (2 * x + 1) * u / (2 * SIDE)) for x in range(SIDE)) for u in range(FREQUENCIES)
)


def perceptual_hash(picture: Image.Image) -> str:
    """64 bits as 16 hexadecimal digits."""
    grey = picture.convert("L").resize((SIDE, SIDE), Image.Resampling.LANCZOS).tobytes()
    rows = [grey[start : start + SIDE] for start in range(0, SIDE * SIDE, SIDE)]
    across = [[_sum(wave, row) for wave in _WAVES] for row in rows]
    columns = list(zip(*across, strict=True))
    low = [round(_sum(wave, column), DECIMALS) for wave in _WAVES for column in columns]
    middle = median(low)
    bits = sum((value > middle) << (BITS - 1 - place) for place, value in enumerate(low))
    return f"{bits:016x}"


def distance(one: str, other: str) -> int:
    """The number of bits, of 64, in which two hashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def _sum(wave: tuple[float, ...], values: bytes | tuple[float, ...]) -> float:
    return float(sum(map(mul, wave, values)))
