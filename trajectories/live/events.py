"""What is announced when verdicts have been committed: ids only, because Postgres has the rest."""

from __future__ import annotations

import msgspec

VERDICT_CHANNEL = "gym:verdicts"


class VerdictsWritten(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes of one run that have got their verdict. A lost or doubled announcement does no harm."""

    run: int
    episodes: list[int]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(VerdictsWritten)


def announcement_encode(*, run_id: int, episode_ids: list[int]) -> bytes:
    """The message for ``VERDICT_CHANNEL``: ``{"run": id, "episodes": [ids]}``."""
    return _encoder.encode(VerdictsWritten(run=run_id, episodes=episode_ids))


def announcement_decode(message: bytes) -> VerdictsWritten | None:
    """The announcement, or None when the message is none."""
    try:
        return _decoder.decode(message)
    except msgspec.DecodeError:
        return None
