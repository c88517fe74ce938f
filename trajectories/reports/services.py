"""Services that create reports and request their computation, which the housekeeper sends to a worker."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.db.models.functions import Now

from palaestra.protocol.plans import plan_sha256
from trajectories.models import Report
from trajectories.record.api.auth import Principal


def report_create(*, name: str, plan: dict[str, Any], principal: Principal) -> Report:
    """Create a report with a validated plan, which is stored as it was sent."""
    owner = {"project": principal.project, "created_by_id": principal.key_id}
    report = Report.objects.create(name=name, plan=plan, plan_sha256=plan_sha256(plan), **owner)
    report.refresh_from_db()
    return report


def report_request(report_id: int) -> None:
    """Request the computation of a report.

    A computation that is waiting stays as it is, and one that is running will be followed by another.
    """
    Report.objects.filter(Q(requested_at=None) | ~Q(state=Report.State.WAITING), pk=report_id).update(
        requested_at=Now(), sent_at=None, claims=0, state=Report.State.WAITING, progress=0.0, problem=""
    )
