"""Splits of generated questions, decided by a question's hash, so that no seed moves it to another split."""

from __future__ import annotations

from core.errors import GymError

SPLITS = ("train", "test")
TEST_SHARE = 0.2
DIGITS = 8
"""Number of leading hexadecimal digits of the hash that decide the split."""


def split_check(split: str, *, owner: str) -> None:
    """Refuse an unknown split. ``owner`` begins the error message, such as "The ladder has".

    Raises ``GymError`` ``unknown_split`` (422).
    """
    if split not in SPLITS:
        message = f"{owner} no split {split!r}; the splits are {', '.join(SPLITS)}."
        raise GymError("unknown_split", message, status=422)


def split_of(digest: str) -> str:
    """Choose one of ``SPLITS`` from a hash of at least ``DIGITS`` hexadecimal digits."""
    return "test" if int(digest[:DIGITS], 16) < TEST_SHARE * 16**DIGITS else "train"
