"""Sums over a run's verdicts (``models/sums.py``): correction after a replaced verdict, and rebuilding."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection, transaction

from core.sql import Statement, sql_read
from trajectories.record.hot_sql.probes import IS_PROBE

SUMS = sql_read(__file__, "sums", is_probe=IS_PROBE)

LOCK = Statement(__file__, "sums_lock")
REPLACE = Statement(__file__, "verdict_replace", sums=SUMS)
CLEAR = Statement(__file__, "sums_clear")
REBUILD = Statement(__file__, "sums_rebuild", sums=SUMS)
ROWS = Statement(__file__, "sums_rows")
WITHDRAW = Statement(__file__, "sums_withdraw", sums=SUMS)
GROUPS = Statement(__file__, "groups_rebuild")


def verdict_replace(*, run_id: int, episode_id: int, verdict_id: int) -> None:
    """Make a stored verdict the episode's current one, and correct the sums. Needs a transaction.

    The lock makes the next statement see every sum and verdict that was written under it.
    """
    LOCK.run(run=run_id)
    REPLACE.run(run=run_id, episode=episode_id, verdict=verdict_id)


def sums_lock(*, run_id: int) -> None:
    """Let no verdict of the run be written until the transaction ends."""
    LOCK.run(run=run_id)


def sums_withdraw(*, run_id: int, episode_ids: Sequence[int]) -> None:
    """Subtract ended episodes from the sums, as if they had never existed. Needs ``sums_lock``."""
    WITHDRAW.run(run=run_id, episodes=list(episode_ids))


def sums_rebuild(*, run_id: int) -> int:
    """Compute the run's sums and the places of its groups from its verdicts; its verdicts wait meanwhile.

    Returns how many rows were wrong.
    """
    with transaction.atomic():
        LOCK.run(run=run_id)
        with connection.cursor() as cursor:
            # The role's limits are those of a verdict.
            cursor.execute("SET LOCAL statement_timeout = 0")
        before = set(ROWS.rows(run=run_id))
        CLEAR.run(run=run_id)
        REBUILD.run(run=run_id)
        GROUPS.run(run=run_id)
        return len(set(ROWS.rows(run=run_id)) - before)
