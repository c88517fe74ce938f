"""Splits of generated questions by their hash: no seed puts a question of one into the other."""

from __future__ import annotations

from core.errors import GymError

SPLITS = ("train", "test")
TEST_SHARE = 0.2
DIGITS = 8
"""Hexadecimal digits of a hash that decide."""


def split_check(split: str, *, owner: str) -> None:
    """Refuse an unknown split. ``owner`` begins the message: "The ladder has".

    Raises ``GymError`` ``unknown_split`` (422).
    """
    if split not in SPLITS:
        message = f"{owner} no split {split!r}: one of {', '.join(SPLITS)}."
        raise GymError("unknown_split", message, status=422)


def split_of(digest: str) -> str:
    """Choose one of ``SPLITS`` by a hash of at least ``DIGITS`` hexadecimal digits."""
    return "test" if int(digest[:DIGITS], 16) < TEST_SHARE * 16**DIGITS else "train"
