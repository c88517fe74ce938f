"""The table of text accuracy, page accuracy and gap by evaluated checkpoint, and the alarm if text falls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trajectories.reports.estimators import accuracy, gaps
from trajectories.reports.tables import (
    COUNT,
    PERCENT,
    POINTS,
    Column,
    Row,
    Table,
    interval_columns,
    search_link,
    with_ends,
)
from trajectories.reports.training.alarms import Alarm, Evaluated, fall_p, text_alarm
from trajectories.reports.training.evaluations import Checkpoint, Evaluation

COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("checkpoint", "Checkpoint"),
    Column("items", "Items", COUNT),
    *interval_columns("text", "Text", PERCENT, prefix="text_", is_titled=True),
    *interval_columns("page", "Page", PERCENT, prefix="page_", is_titled=True),
    *interval_columns("gap", "Gap", POINTS, is_titled=True),
    Column("note", "Note"),
)
NO_PAIR = "not evaluated both as text and as a page"
NOTE = (
    "Evaluation runs of the same model with the checkpoint of the version. Gaps are estimated as in reports: "
    "{}."
)


def evaluation_table(evaluations: Sequence[Evaluation]) -> Table:
    rows = [_row(evaluation, point) for evaluation in evaluations for point in evaluation.checkpoints]
    labels = "paired by item, with errors clustered over items and looks"
    return Table(
        id="evaluations",
        title="Evaluations",
        columns=COLUMNS,
        rows=rows,
        notes=[NOTE.format(labels)] if rows else [],
    )


def text_alarms(evaluations: Sequence[Evaluation]) -> list[Alarm]:
    """Return the alarms for benchmarks whose gap closes because text accuracy falls."""
    series = {evaluation.benchmark: list(_evaluated(evaluation)) for evaluation in evaluations}
    scopes = sum(bool(points) for points in series.values())
    raised = (text_alarm(points, scope=name, scopes=scopes) for name, points in series.items() if points)
    return [alarm for alarm in raised if alarm]


def is_compared(evaluations: Sequence[Evaluation]) -> bool:
    """Return whether any benchmark has two comparable checkpoints, evaluated both as text and as a page."""
    return any(True for evaluation in evaluations for _ in _evaluated(evaluation))


def episodes_link(evaluation: Evaluation, point: Checkpoint, arm: str, **filters: str) -> str:
    """Return the address of the lab's search for a checkpoint's episodes in an arm."""
    return search_link(run=evaluation.run_of(point, arm), benchmark=evaluation.benchmark, arm=arm, **filters)


def _row(evaluation: Evaluation, point: Checkpoint) -> Row:
    row: dict[str, Any] = {
        "benchmark": evaluation.benchmark,
        "checkpoint": point.label,
        "version": point.version,
    }
    sides = {"text": evaluation.text_arm(point), "page": evaluation.page_arm(point)}
    arms = {name: arm for name, arm in sides.items() if arm}
    if not arms:
        return {**row, "items": 0, "note": NO_PAIR}
    for arm in arms.values():
        if mixed := evaluation.mixture(arm, point):
            return {**row, "items": 0, "note": f"a mixture of set-ups: {mixed}"}
    for name, arm in arms.items():
        estimate = accuracy.accuracy(evaluation.answers(point, arm))
        row |= {"items": estimate.items, **with_ends(name, estimate, prefix=f"{name}_")}
    row |= _gap(evaluation, point, *arms.values()) if len(arms) == len(sides) else {"note": NO_PAIR}
    links = {name: episodes_link(evaluation, point, arm) for name, arm in arms.items()}
    return {**row, "links": {**links, "episodes": list(links.values())[-1]}}


def _gap(evaluation: Evaluation, point: Checkpoint, text_arm: str, page_arm: str) -> Row:
    """Return the cells for the gap on the items that both arms have."""
    pair = gaps.pair_of(evaluation.answers(point, text_arm), evaluation.answers(point, page_arm))
    if pair is None:
        return {"items": 0, "note": gaps.NO_SHARED}
    estimate = gaps.gap(pair)
    return {"items": len(pair.items), **with_ends("gap", estimate), "note": estimate.reason}


def _evaluated(evaluation: Evaluation) -> Iterator[Evaluated]:
    """Yield the comparison of each later checkpoint with the first, on items that both have in both arms."""
    first = next((point for point in evaluation.checkpoints if evaluation.text_and_page(point)), None)
    if first is None:
        return
    for point in evaluation.checkpoints[evaluation.checkpoints.index(first) + 1 :]:
        arms = evaluation.text_and_page(first, point)
        if (
            arms is None
            or point.version is None
            or any(evaluation.mixture(arm, first, point) for arm in arms)
        ):
            continue
        pairs = [gaps.pair_of(evaluation.answers(first, arm), evaluation.answers(point, arm)) for arm in arms]
        text, page = pairs
        if text is None or page is None:
            continue
        yield Evaluated(
            version=point.version,
            text=float(text.mean_b.mean()),
            page=float(page.mean_b.mean()),
            text_before=float(text.mean_a.mean()),
            page_before=float(page.mean_a.mean()),
            p=fall_p(text.a, text.b),
        )
