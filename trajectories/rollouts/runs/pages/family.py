"""The family of a run: its own arms, and arms of other runs with which they can be compared.

Those runs belong to the same evaluation or model and have judged the same tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS
from trajectories.models import Report, Run
from trajectories.reports.ladder import UNSCORED, ArmKey, arm_of
from trajectories.reports.plan import ALPHA, plan_read
from trajectories.reports.setups import arm_order

# Only this many of the newest runs are examined.
SIBLINGS_MAX = 200
SIBLINGS_OF_A_MODEL = 12
_MEMBERS = Statement(__file__, "members")


@dataclass(frozen=True, kw_only=True)
class Member:
    """One arm as played by one run. ``shared`` counts the tasks that the page's own run has judged too."""

    key: ArmKey
    run: Run
    is_own: bool
    shared: int


@dataclass(frozen=True, kw_only=True)
class Family:
    """The arms to compare, in the ladder's order.

    ``members`` has one entry per arm. ``plan`` is the report's plan. Without a report it has no contrasts, so
    the ladder's base is compared with each other arm.
    """

    run: Run
    members: Sequence[Member]
    plan: dict[str, Any]
    has_report: bool

    @property
    def runs(self) -> dict[int, Run]:
        return {member.run.pk: member.run for member in self.members}

    def of(self, *, run: int, arm: str) -> Member | None:
        """Return the member to which an episode of this run and arm belongs."""
        return next((m for m in self.members if m.run.pk == run and m.key.arm == arm), None)


def find_family(run: Run) -> Family:
    """Find the run's own arms and, for each other arm, the newest run that has it."""
    report = Report.objects.filter(pk=run.report_id).only("plan").first() if run.report_id else None
    plan = plan_read(report.plan) if report else {}
    runs = {one.pk: one for one in (run, *_siblings(run))}
    members: dict[ArmKey, Member] = {}
    rows = _MEMBERS.rows(run=run.pk, runs=list(runs))
    for run_id, arm, shared in sorted(rows, key=lambda row: (row[0] != run.pk, -row[0])):
        key = _key(plan.get("arms", ()), runs[run_id], arm)
        member = Member(key=key, run=runs[run_id], is_own=run_id == run.pk, shared=shared)
        if member.is_own or arm not in UNSCORED:
            members.setdefault(key, member)
    ordered = [members[key] for key in arm_order(members)]
    return Family(run=run, members=ordered, plan=plan or _plan(run, ordered), has_report=report is not None)


def _key(planned: Collection[str], run: Run, arm: str) -> ArmKey:
    observation = run.observation if ARMS[arm].has_page else ""
    return arm_of(planned, arm=arm, retest=run.is_retest, observation=observation)


def _plan(run: Run, members: Sequence[Member]) -> dict[str, Any]:
    """Return a plan without contrasts, by which the ladder's base is compared with each other arm."""
    arms = list(dict.fromkeys(member.key.planned for member in members))
    return {"arms": arms, "contrasts": [], "observation": run.observation, "alpha": ALPHA, "margin": None}


def _siblings(run: Run) -> list[Run]:
    """Return the other runs of the same evaluation, or else the newest runs of the same model.

    A training run without an evaluation has none.
    """
    others = Run.objects.exclude(pk=run.pk).order_by("-pk")
    if run.report_id is not None:
        return list(others.filter(report_id=run.report_id)[:SIBLINGS_MAX])
    if run.kind == Run.Kind.TRAIN or not run.model:
        return []
    same = {name: getattr(run, name) for name in ("model", "checkpoint", "kind", "simulated", "observation")}
    return list(others.filter(report=None, **same)[:SIBLINGS_OF_A_MODEL])
