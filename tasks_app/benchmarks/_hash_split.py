"""The split of a generated question by its hash: no seed puts a question of one into the other."""

from __future__ import annotations

from core.errors import GymError

SPLITS = ("train", "test")
TEST_SHARE = 0.2
DIGITS = 8
"""Of a hash, in hexadecimal, that are looked at."""


def split_check(split: str, *, owner: str) -> None:
    """Refuse a split that there is not. ``owner`` begins the message: "The ladder has".

    Raises ``GymError`` ``unknown_split`` (422).
    """
    if split not in SPLITS:
        message = f"{owner} no split {split!r}: one of {', '.join(SPLITS)}."
        raise GymError("unknown_split", message, status=422)


def split_of(digest: str) -> str:
    """One of ``SPLITS``, for a hash in hexadecimal of at least ``DIGITS`` digits."""
    return "test" if int(digest[:DIGITS], 16) < TEST_SHARE * 16**DIGITS else "train"
