"""Errata of questions, which are applied when tasks are loaded.

They correct official texts that are ambiguous, depend on something that they do not state, or cannot be
answered at all. Errata of golds are in ``errata.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from msgspec import Struct

from core.text.toml import table_load
from tasks_app.types import Row, TaskDraft

FOLDER = Path(__file__).parent / "benchmarks" / "errata"
TAG = "erratum"


class WordingErratum(Struct, frozen=True, forbid_unknown_fields=True):
    """A correction of a question's wording.

    ``text`` is the official text, byte for byte, and ``instead`` is what is shown; without ``instead``,
    nobody can answer the question. ``key`` restricts the erratum to one task. ``reason`` explains what was
    wrong. ``is_complete`` is true if the new text no longer needs the missing figure that made the task
    ineligible for the modality gap.
    """

    text: str
    reason: str
    instead: str = ""
    key: str | None = None
    is_complete: bool = False


def rows_corrected(rows: Iterable[Row], *, benchmark: str) -> Iterator[Row]:
    """Correct the rows' wording and tag them ``erratum``, unless their source has been fixed since."""
    known = load_errata(benchmark)
    for row in rows:
        yield _corrected(row, known) if known and isinstance(row, TaskDraft) else row


@cache
def load_errata(benchmark: str) -> Sequence[WordingErratum]:
    path = FOLDER / f"{benchmark}.toml"
    return table_load(path, WordingErratum) if path.is_file() else ()


def _corrected(draft: TaskDraft, known: Sequence[WordingErratum]) -> TaskDraft:
    for erratum in known:
        if draft.payload.get("text") == erratum.text and erratum.key in (None, draft.key):
            if not erratum.instead:
                return draft.unanswerable(erratum.reason)
            payload = {**draft.payload, "text": erratum.instead}
            gap_reason = "" if erratum.is_complete else draft.gap_reason
            return replace(draft, payload=payload, prompt="", tags=(*draft.tags, TAG), gap_reason=gap_reason)
    return draft
