"""The episodes of a report, one row each: what it is computed from, and what it exports."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from core.arms import PAGE_ARMS
from core.sql import sql_read

# End reasons of episodes that were withdrawn: not a failure of anybody.
NOBODYS = ("cancelled", "expired_unused")
CHUNK = 2_000

TEXT = sql_read(__file__, "episode_rows")


class EpisodeRow(NamedTuple):
    """``look`` and ``observation`` are empty in arms without a page. ``outcome`` is None until there is a
    verdict. ``score`` is the verifier's, 0 to 1: of a reading probe, 1 less the distance of the copy."""

    episode: int
    run: int
    benchmark: str
    split: str
    task: int
    key: str
    arm: str
    observation: str
    retest: bool
    sample: int
    look: str
    outcome: str | None
    reason: str | None
    policy_version: int | None
    prompts: str
    guess_rate: float
    gap_eligible: bool
    is_site: bool
    disputed: bool
    score: float | None


def episode_rows(
    run_ids: Sequence[int], *, splits: Collection[str] = (), benchmark: str = ""
) -> Iterator[EpisodeRow]:
    """In constant memory, as they were at one moment; ``benchmark`` empty for all."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(
            TEXT,
            {
                "runs": list(run_ids),
                "paged": list(PAGE_ARMS),
                "nobodys": list(NOBODYS),
                "splits": sorted(splits),
                "benchmark": benchmark,
            },
        )
        while chunk := cursor.fetchmany(CHUNK):
            yield from map(EpisodeRow._make, chunk)
