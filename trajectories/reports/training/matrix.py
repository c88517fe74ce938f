"""The transfer matrix: what training on some benchmarks changes on others, for training runs or two reports.

"Trained on" comes from the tasks of a training run's judged episodes. For two reports, the training runs are
those of the same model that registered the second plan's ``model.checkpoint``.
"""

from __future__ import annotations

from collections.abc import Collection

from trajectories.models import PolicyVersion, Report, Run
from trajectories.record import projects
from trajectories.record.projects import Viewer
from trajectories.reports import selectors as reports
from trajectories.reports.tables import Row, Table
from trajectories.reports.training.evaluations import (
    Checkpoint,
    checkpoints_of,
    evaluation_runs,
    evaluations_of,
)
from trajectories.reports.training.selectors import trained_on
from trajectories.reports.training.transfer_table import transfer_rows, transfer_table

# The number of newest training runs that are searched for evaluations.
RUNS_MAX = 20
BEFORE, AFTER = "before", "after"


def transfer_of_runs(viewer: Viewer) -> Table:
    """Return the transfer matrix of the newest training runs that the viewer may see.

    Each run is compared from its first to its last evaluated checkpoint.
    """
    runs = projects.visible(Run.objects.filter(kind=Run.Kind.TRAIN), viewer).order_by("-pk")[:RUNS_MAX]
    return transfer_table([row for run in runs for row in _rows_of(run, viewer.splits)])


def transfer_of_reports(before: Report, after: Report, *, splits: Collection[str] = ()) -> Table:
    """Return the transfer matrix of two reports, whose runs are taken as those of two checkpoints."""
    runs = {
        run: name
        for report, name in ((before, BEFORE), (after, AFTER))
        for run in reports.report_runs(report.pk)
        if not run.is_retest
    }
    points = [Checkpoint(name, None, name) for name in (BEFORE, AFTER)]
    evaluations = evaluations_of(runs, points, splits=splits)
    trainers = _trainers(after)
    names = sorted({name for run in trainers for name in trained_on(run, splits=splits)})
    return transfer_table(transfer_rows(evaluations, trained_on=names, run=trainers[0] if trainers else None))


def _rows_of(run: Run, splits: Collection[str]) -> list[Row]:
    points = checkpoints_of(run)
    evaluated = evaluation_runs(run, points)
    if len(set(evaluated.values())) < 2:
        return []
    evaluations = evaluations_of(evaluated, points, splits=splits)
    return transfer_rows(evaluations, trained_on=trained_on(run, splits=splits), run=run)


def _trainers(report: Report) -> list[Run]:
    """Return the training runs that registered a report's checkpoint, the newest first."""
    model = report.plan["model"]
    if not model.get("checkpoint"):
        return []
    versions = PolicyVersion.objects.filter(
        checkpoint=model["checkpoint"], run__model=model["name"], run__project=report.project
    )
    return list(Run.objects.filter(pk__in=versions.values("run"), kind=Run.Kind.TRAIN).order_by("-pk"))
