"""The housekeeper process, which looks for slow work that is due and tidies up.

The work is on pictures, facts, rewards, judges' grades, replays, reports, labels and exports; old idempotent
calls and parts of uploads are deleted. It runs separately from the sweeper, so that nothing here, however
long it takes, delays a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

from trajectories.annotation.jobs import LABEL_WORK
from trajectories.behaviour.facts.jobs import facts_sweep
from trajectories.behaviour.fidelity.jobs import FidelitySweep
from trajectories.exports.jobs import EXPORTS
from trajectories.judges.jobs import JudgesSweep
from trajectories.record.api import health, idempotency
from trajectories.record.blobs.services import parts_sweep
from trajectories.record.capture.jobs import picture_sweep
from trajectories.record.chores import loop
from trajectories.reports.jobs import REPORTS
from trajectories.rewards.jobs import rewards_sweep

LOCK = 0x484F_5553  # "HOUS"
TIDY_EVERY_S = 600.0
PICTURES_EVERY_S = 1.0
FACTS_EVERY_S = 5.0
REWARDS_EVERY_S = 5.0
JUDGES_EVERY_S = 5.0
FIDELITY_EVERY_S = 1.0
DUE_WORK_EVERY_S = 1.0


def housekeep_forever(*, stop: Event) -> None:
    """Run the chores until ``stop`` is set."""
    loop.chores_do(name=health.HOUSEKEEPER, lock=LOCK, chores=_chores, stop=stop)


def _chores() -> Sequence[loop.Chore]:
    return [
        loop.Chore("pictures", picture_sweep(), PICTURES_EVERY_S),
        loop.Chore("facts", facts_sweep(), FACTS_EVERY_S),
        loop.Chore("rewards", rewards_sweep(), REWARDS_EVERY_S),
        loop.Chore("judges", JudgesSweep(), JUDGES_EVERY_S),
        loop.Chore("replays", FidelitySweep(), FIDELITY_EVERY_S),
        loop.Chore("reports", REPORTS.send, DUE_WORK_EVERY_S),
        loop.Chore("annotation", LABEL_WORK.send, DUE_WORK_EVERY_S),
        loop.Chore("exports", EXPORTS.send, DUE_WORK_EVERY_S),
        loop.Chore("idempotent_calls", idempotency.sweep_idempotent_calls, TIDY_EVERY_S),
        loop.Chore("upload_parts", parts_sweep, TIDY_EVERY_S),
    ]
