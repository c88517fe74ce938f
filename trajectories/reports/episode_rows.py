"""The episodes of a report, one row each, from which it is computed and which it exports."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from django.db import connection

from core.database.sql import sql_read
from core.episodes.presentation import AXES
from palaestra.protocol.arms import PAGE_ARMS
from palaestra.protocol.end_reasons import HARMLESS_VOIDS
from trajectories.reports.run_tallies import IS_FAILURE, IS_REPAIRED

CHUNK = 2_000

TEXT = sql_read(__file__, "episode_rows", is_failure=IS_FAILURE, is_repaired=IS_REPAIRED)


class Conditions(NamedTuple):
    """The conditions that may differ between episodes of one run and arm.

    ``step_limit`` is the limit given by the call that opened the episode, or None for the task's own.
    ``content`` has the parts of the question that this call fixed besides the look, as JSON.
    """

    policy_version: int | None = None
    prompts: str = ""
    token_budget: int | None = None
    step_limit: int | None = None
    answer_channel: str = ""
    examples: int = 0
    content: str = ""


class EpisodeRow(NamedTuple):
    """An episode of a report.

    ``look`` and ``observation`` are empty in arms without a page. ``outcome`` is None until there is a
    verdict. ``score`` is the verifier's score from 0 to 1; for a reading probe it is 1 minus the distance of
    the copy. For ``step_limit`` and ``content`` see ``Conditions``. Decision 0076 defines
    ``is_format_failure`` and ``is_repaired``. ``loss`` is filled in for exports: it is the class of a lost
    episode, or None if the report did not classify the episode.
    """

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
    token_budget: int | None
    step_limit: int | None
    answer_channel: str
    examples: int
    content: str
    is_format_failure: bool | None = None
    is_repaired: bool | None = None
    loss: str | None = None

    @property
    def conditions(self) -> Conditions:
        return Conditions(*(getattr(self, name) for name in Conditions._fields))


def episode_rows(
    run_ids: Sequence[int], *, splits: Collection[str] = (), benchmark: str = ""
) -> Iterator[EpisodeRow]:
    """Yield the rows run by run, in the order of episodes, of one ``benchmark`` or of all if it is empty.

    Rows are read in chunks by short statements, so memory stays constant. A single snapshot held throughout a
    slow download would keep Postgres from cleaning up, and would hit the time limit of transactions.
    """
    for run_id in run_ids:
        after = 0
        while chunk := _chunk(run_id, after=after, splits=splits, benchmark=benchmark):
            yield from chunk
            after = chunk[-1].episode


def _chunk(run_id: int, *, after: int, splits: Collection[str], benchmark: str) -> list[EpisodeRow]:
    with connection.cursor() as cursor:
        cursor.execute(
            TEXT,
            {
                "run": run_id,
                "after": after,
                "limit": CHUNK,
                "paged": list(PAGE_ARMS),
                "nobodys": list(HARMLESS_VOIDS),
                "splits": sorted(splits),
                "benchmark": benchmark,
                "look_axes": list(AXES),
            },
        )
        return [EpisodeRow(*row) for row in cursor.fetchall()]
