"""Programs that episodes ran with the tools of their pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, Q
from django.db.models.functions import Left, Length, Now

from tasks_app.variation import payload_shown, tools_of
from trajectories.lab.text.programs import Call, call_of
from trajectories.models import Episode, ToolCall

PROGRAM_CHARS = 16_000


def tool_calls(episode: Episode, **of: int) -> list[Call]:
    """The calls in order, long programs cut; with ``step`` those of one step."""
    if not tools_of(episode.variation):
        return []
    too_long_ago = Now() - timedelta(seconds=settings.TOOL_CALL_TIMEOUT_S)
    rows = (
        ToolCall.objects.filter(episode_id=episode.pk, **of)
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


def calls_version(episode: Episode) -> str:
    """Changes whenever a call starts or finishes; empty for an episode without tools."""
    if not tools_of(episode.variation):
        return ""
    calls = ToolCall.objects.filter(episode_id=episode.pk)
    counts = calls.aggregate(started=Count("number"), finished=Count("finished_at"))
    return f"{counts['started']}.{counts['finished']}"


def _asserts(episode: Episode) -> Sequence[str]:
    shown: Sequence[str] = payload_shown(episode.task.payload, episode.variation).get("asserts", ())
    return shown
