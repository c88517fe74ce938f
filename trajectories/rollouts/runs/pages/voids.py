"""The void episodes of a run's page: counts by version, reason and task, and unusual rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from trajectories.rollouts.runs.void_alarms import VoidAlarm, void_alarms
from trajectories.rollouts.runs.void_rates import LATEST_OF_A_RUN, VoidRate, rates_ranked, void_rates

ROWS_SHOWN = 5
ALARMS_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class VoidTable:
    """The highest void rates, of tasks among the ``latest`` episodes; warnings begin at ``share_max``.

    ``withdrawn`` are the shares of cancelled and of unused episodes, which no other row counts.
    """

    total: VoidRate
    policy_versions: Sequence[tuple[int | None, VoidRate]]
    reasons: Sequence[tuple[str, VoidRate]]
    tasks: Sequence[tuple[int, VoidRate]]
    withdrawn: Sequence[tuple[str, VoidRate]]
    alarms: Sequence[VoidAlarm]
    alarms_more: int
    share_max: float
    latest: int = LATEST_OF_A_RUN


def void_table(run_id: int) -> VoidTable | None:
    """Return the void rates of a run, None where no episode is void."""
    rates = void_rates(run_id=run_id)
    if not rates.total.void and not rates.withdrawn:
        return None
    alarms = void_alarms(rates, share_max=settings.VOID_ALARM_SHARE)
    versions = [(version, rate) for (_, version), rate in rates_ranked(rates.by_policy_version)]
    return VoidTable(
        total=rates.total,
        policy_versions=versions[:ROWS_SHOWN],
        reasons=list(rates.by_reason.items()),
        tasks=rates_ranked(rates.by_task)[:ROWS_SHOWN],
        withdrawn=list(rates.by_withdrawal.items()),
        alarms=alarms[:ALARMS_SHOWN],
        alarms_more=len(alarms[ALARMS_SHOWN:]),
        share_max=settings.VOID_ALARM_SHARE,
    )
