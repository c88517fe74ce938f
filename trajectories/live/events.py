"""Announcements of committed changes: ids only, because Postgres has the rest."""

from __future__ import annotations

import msgspec

VERDICT_CHANNEL = "gym:verdicts"
OPENING_CHANNEL = "gym:openings"


class EpisodesOpened(msgspec.Struct, frozen=True, kw_only=True):
    """A run has new episodes: for pages that count them. A lost announcement only delays them."""

    run: int


class VerdictsWritten(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes of one run that have received their verdicts. A lost or repeated announcement does no harm."""

    run: int
    episodes: list[int]


Announced = VerdictsWritten | EpisodesOpened

_encoder = msgspec.json.Encoder()
_decoders: dict[str, msgspec.json.Decoder[Announced]] = {
    VERDICT_CHANNEL: msgspec.json.Decoder(VerdictsWritten),
    OPENING_CHANNEL: msgspec.json.Decoder(EpisodesOpened),
}


def announcement_encode(*, run_id: int, episode_ids: list[int]) -> bytes:
    """The message for ``VERDICT_CHANNEL``: ``{"run": id, "episodes": [ids]}``."""
    return _encoder.encode(VerdictsWritten(run=run_id, episodes=episode_ids))


def opening_encode(*, run_id: int) -> bytes:
    """The message for ``OPENING_CHANNEL``: ``{"run": id}``."""
    return _encoder.encode(EpisodesOpened(run=run_id))


def announcement_decode(message: bytes, *, channel: str) -> Announced | None:
    """The announcement, or None when the message is malformed."""
    try:
        return _decoders[channel].decode(message)
    except msgspec.DecodeError:
        return None
