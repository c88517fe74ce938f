"""The sweeper's queries: submissions that are due again, and signs of life of open episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.conf import settings

from core.database.sql import Statement, sql_read
from tasks_app.worlds.evidence import PAGE_SERVED
from trajectories.models.takeover import IS_LAST, IS_TAKEN
from trajectories.record.hot_sql import IS_PROBE, UNFINISHED
from trajectories.rollouts.judging.worker_locks import LOCK_CLASS
from verifiers import registry

BATCH = 5_000
# A harness's step opens one page, or a few pages if it contains several actions.
PAGES_PER_STEP = 5

NEW = Statement(__file__, "submissions_new")
DUE = Statement(__file__, "submissions_due")
SENT = Statement(__file__, "submissions_sent")
DEAD = Statement(__file__, "workers_dead")
FREE = Statement(__file__, "claims_free")
EXHAUSTED = Statement(__file__, "submissions_exhausted")
OPEN = Statement(__file__, "episodes_open", unfinished=UNFINISHED, is_taken=IS_TAKEN)
GIVEN_UP = Statement(__file__, "episodes_given_up", is_last=IS_LAST)
_ACTS = sql_read(__file__, "acts_outside_steps")
OVERSPENT = Statement(__file__, "episodes_overspent", unfinished=UNFINISHED, acts=_ACTS)
ACTS_OF = Statement(__file__, "acts_of", acts=_ACTS)
JUDGED = Statement(__file__, "episodes_judged")
MAYBE_SANDBOXED = Statement(__file__, "maybe_sandboxed", is_probe=IS_PROBE)


class OpenEpisode(NamedTuple):
    """An open episode, with its last step, the time of its last page report, and its last site event."""

    run_id: int
    episode_id: int
    last_step: int | None
    reported_at: float | None
    last_site_event: int | None


def submissions_new() -> list[int]:
    """Return episodes whose submission was never sent to a worker."""
    return [row[0] for row in NEW.rows(batch=BATCH)]


def submissions_due(*, claims_max: int, lost_s: float, after_s: Sequence[float]) -> list[int]:
    """Return episodes whose submission is due to be sent: new ones immediately, others after a delay.

    ``after_s`` lists the delays before the first resend, the second, and so on.
    """
    rows = DUE.rows(claims_max=claims_max, lost=lost_s, after=list(after_s), batch=BATCH)
    return [row[0] for row in rows]


def episodes_sandboxed(episode_ids: Sequence[int]) -> set[int]:
    """Return the episodes whose job runs in the sandbox because one of its two verifiers needs it."""
    return {
        episode_id
        for episode_id, *verifiers, dataset in MAYBE_SANDBOXED.rows(
            episodes=list(episode_ids), verifiers=registry.list_sandboxed()
        )
        if any(registry.is_sandboxed(verifier_id, dataset=dataset) for verifier_id in verifiers)
    }


def submissions_mark_sent(episode_ids: Sequence[int]) -> None:
    SENT.run(episodes=list(episode_ids))


def episodes_judged(episode_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the given episodes that have a verdict, by run."""
    by_run: dict[int, list[int]] = defaultdict(list)
    for run_id, episode_id in JUDGED.rows(episodes=list(episode_ids)):
        by_run[run_id].append(episode_id)
    return by_run


def workers_dead() -> set[int]:
    """Return the keys of workers that hold claims but no longer hold their lock (``worker_locks``)."""
    return {row[0] for row in DEAD.rows(**{"class": LOCK_CLASS})}


def claims_free(workers: Collection[int]) -> int:
    """Free the claims of these workers immediately, and return how many there were."""
    return FREE.run(workers=list(workers)) if workers else 0


def submissions_exhausted(*, claims_max: int, lost_s: float) -> list[tuple[int, int]]:
    """Return ``(run, episode)`` of submissions that lost every claim that they were allowed."""
    rows = EXHAUSTED.rows(claims_max=claims_max, lost=lost_s, batch=BATCH)
    return [(run_id, episode_id) for run_id, episode_id in rows]


def episodes_overspent() -> list[tuple[int, int]]:
    """Return ``(run, episode)`` of open episodes with more than ``max_steps`` acts outside any step."""
    rows = OVERSPENT.rows(per_step=PAGES_PER_STEP, page_served=PAGE_SERVED)
    return [(run_id, episode_id) for run_id, episode_id in rows]


def acts_outside_steps(episode_id: int) -> int:
    """Return how many steps of an episode's budget were used without a harness."""
    row = ACTS_OF.row(episode=episode_id, per_step=PAGES_PER_STEP, page_served=PAGE_SERVED)
    return max(0, int(row[0])) if row else 0


def episodes_given_up() -> list[tuple[int, int, str]]:
    """Return ``(run, episode, detail)`` of open episodes that a person gave up or could not begin.

    ``detail`` describes how a fork's page differs from its parent's; it is empty if a person gave up.
    """
    return [(run_id, episode_id, detail) for run_id, episode_id, detail in GIVEN_UP.rows()]


def episodes_open() -> list[OpenEpisode]:
    """Return all open episodes except those in which a person is acting now."""
    return [OpenEpisode(*row) for row in OPEN.rows(idle=settings.TAKEOVER_IDLE_S)]
