"""Blobs named by rows, in a temporary table of this connection."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from core.sql import Statement, sql_read

# Fields of steps without a column of their own that name blobs.
FIELDS = ("prompt_sha256", "tokens_blob")

CREATE = sql_read(__file__, "names_create")
EXCLUDE = Statement(__file__, "exclude")
NAMES = Statement(__file__, "names", more=", ".join(f"s.more->>'{field}'" for field in FIELDS))


def names_create() -> None:
    """Start with no names, and with no episodes excluded."""
    with connection.cursor() as cursor:
        cursor.execute(CREATE)


def episodes_exclude(ids: Sequence[int], *, what: str = "") -> None:
    """Ignore the names of these episodes: all of them, or those of recordings or screenshots."""
    EXCLUDE.run(
        ids=list(ids),
        has_row=not what,
        has_screenshots=what in ("", "screenshots"),
        has_recordings=what in ("", "recordings"),
    )


def names_collect() -> None:
    """Read every name once. Files named later are safe: they were uploaded or requested recently."""
    NAMES.run()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE blob_names")
