"""The kind of background work that writes exports."""

from __future__ import annotations

from typing import Any

from trajectories.exports.work import ExportWork
from trajectories.models import Export
from trajectories.record.due_work import Progress, WorkKind


def _do(export: Export, progress: Progress) -> dict[str, Any]:
    return {"result": ExportWork(export=export).do(progress)}


EXPORTS = WorkKind(
    name="exports.write",
    model=Export,
    do=_do,
    is_resumable=lambda export: True,
    subject="The export",
    advice="Give workers more memory, or export fewer runs at a time, then run it again.",
    too_long="This took longer than a worker's time limit. Run it again when the workers are less busy.",
)
