"""What episodes asked of the tools of their pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, Q
from django.db.models.functions import Left, Length, Now

from tasks_app.variation import payload_shown, tools_of
from trajectories.lab.text.programs import Call, call_of
from trajectories.models import Episode, ToolCall

PROGRAM_CHARS = 16_000


def calls_of(episode: Episode, **tied: Any) -> list[Call]:
    """The calls in their order; with ``step`` those of that step. Long programs come cut."""
    if not tools_of(episode.variation):
        return []
    too_long_ago = Now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S)
    rows = (
        ToolCall.objects.filter(episode_id=episode.pk, **tied)
        .defer("input")
        .annotate(
            program=Left("input", PROGRAM_CHARS),
            length=Length("input"),
            is_late=ExpressionWrapper(Q(created_at__lt=too_long_ago), output_field=BooleanField()),
        )
        .order_by("number")
    )
    asserts = _asserts(episode)
    return [call_of(row, asserts=asserts) for row in rows]


def calls_mark(episode: Episode) -> str:
    """Differs once a call was made or done; empty for an episode without tools."""
    if not tools_of(episode.variation):
        return ""
    found = ToolCall.objects.filter(episode_id=episode.pk)
    counted = found.aggregate(made=Count("number"), done=Count("finished_at"))
    return f"-{counted['made']}.{counted['done']}"


def _asserts(episode: Episode) -> Sequence[str]:
    shown: Sequence[str] = payload_shown(episode.task.payload, episode.variation).get("asserts", ())
    return shown
