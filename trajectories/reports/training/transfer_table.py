"""The transfer table: accuracy before and after training on some benchmarks, by evaluation benchmark and arm.

The change of an arm is paired by item. How much more an arm gains than text is the difference of two such
changes; it is the effect of training beyond its effect on the model's knowledge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from palaestra.protocol.arms import ARMS
from trajectories.models import Run
from trajectories.reports.charts.forest import POINTS_OF_ACCURACY, Forest
from trajectories.reports.estimators import gaps
from trajectories.reports.estimators.answers import Estimate
from trajectories.reports.registry import Chart
from trajectories.reports.tables import (
    COUNT,
    EPISODES_LINKED,
    PERCENT,
    POINTS,
    Column,
    Row,
    Table,
    interval_columns,
    number,
    scaled,
    with_ends,
)
from trajectories.reports.tables import episodes_link as episodes_named
from trajectories.reports.training.differences import double_difference
from trajectories.reports.training.evaluation_table import episodes_link
from trajectories.reports.training.evaluations import Checkpoint, Evaluation

COLUMNS = (
    Column("run", "Training run"),
    Column("trained_on", "Trained on"),
    Column("benchmark", "Evaluated on"),
    Column("arm", "Arm"),
    Column("checkpoints", "From, to"),
    Column("items", "Items", COUNT),
    Column("before", "Before", PERCENT),
    Column("after", "After", PERCENT),
    *interval_columns("change", "Change", POINTS, prefix="change_", is_titled=True),
    Column("p", "p"),
    *interval_columns("beyond_text", "Beyond text", POINTS, prefix="beyond_text_", is_titled=True),
    Column("p_beyond_text", "p, beyond text"),
    Column("note", "Note"),
)
NOTE = (
    "After minus before, in points of accuracy, paired by item, with errors clustered over items and looks. "
    "Beyond text: the arm's change minus that of the first text arm (difference in differences, on the items "
    "that both arms have before and after). The p-values are not adjusted for the number of rows."
)
CHART = Chart(
    draw=Forest(
        value="change",
        group="{run}: trained on {trained_on}, evaluated on {benchmark}: {checkpoints}",
        label=("arm",),
        unit=POINTS_OF_ACCURACY,
        ends=("fell", "rose"),
        beside=("beyond_text", "beyond text"),
    ).draw,
    caption=(
        "Filled: accuracy after training minus accuracy before. Hollow, beyond text: the arm's change "
        "minus that of text, on the items that both have."
    ),
)
NOT_RECORDED = "not recorded here"
ELSEWHERE = "a training elsewhere"
SAME = "trained on it too"


def transfer_table(rows: Sequence[Row]) -> Table:
    return Table(
        id="transfer",
        title="Accuracy before and after training",
        columns=COLUMNS,
        rows=rows,
        notes=[NOTE] if rows else [],
    )


def transfer_rows(
    evaluations: Sequence[Evaluation], *, trained_on: Sequence[str], run: Run | None
) -> list[Row]:
    """Return a row for each benchmark and arm that was evaluated at both the first and the last checkpoint.

    ``run`` is the training run, or None if it was not recorded here.
    """
    return [row for evaluation in evaluations for row in _rows(evaluation, trained_on, run)]


def _rows(evaluation: Evaluation, trained_on: Sequence[str], run: Run | None) -> Iterator[Row]:
    ends = _ends(evaluation)
    if ends is None:
        return
    before, after = ends
    arms = evaluation.arms(before, after)
    text = next((arm for arm in arms if not ARMS[arm].has_page), None)
    for arm in arms:
        head = {
            "run": f"{run.name} (run {run.pk})" if run else ELSEWHERE,
            "trained_on": ", ".join(trained_on) or NOT_RECORDED,
            "benchmark": evaluation.benchmark,
            "arm": arm,
            "checkpoints": f"{before.label}, {after.label}",
        }
        numbers = _numbers(evaluation, arm, text, before, after, is_same=evaluation.benchmark in trained_on)
        links = {**numbers.pop("links", {}), **({"run": f"/runs/{run.pk}/training"} if run else {})}
        yield {**head, **numbers, "links": links}


def _ends(evaluation: Evaluation) -> tuple[Checkpoint, Checkpoint] | None:
    """Return the first checkpoint and the last one that shares an arm with it, or None if there is none."""
    if len(evaluation.checkpoints) < 2:
        return None
    first = evaluation.checkpoints[0]
    last = next((point for point in evaluation.checkpoints[:0:-1] if evaluation.arms(first, point)), None)
    return (first, last) if last else None


def _numbers(
    evaluation: Evaluation,
    arm: str,
    text: str | None,
    before: Checkpoint,
    after: Checkpoint,
    *,
    is_same: bool,
) -> dict[str, Any]:
    if mixed := evaluation.mixture(arm, before, after):
        return {"items": 0, "note": f"not comparable, the set-ups differ: {mixed}"}
    pair = gaps.pair_of(evaluation.answers(after, arm), evaluation.answers(before, arm))
    if pair is None:
        return {"items": 0, "note": "no item has judged answers before and after"}
    change = gaps.gap(pair)
    beyond = _beyond_text(evaluation, pair, arm, text, before, after)
    notes = [SAME if is_same else "", _in_words(change.reason), beyond.reason]
    return {
        "items": change.items,
        "before": scaled(float(pair.mean_b.mean())),
        "after": scaled(float(pair.mean_a.mean())),
        **with_ends("change", change, prefix="change_"),
        "p": number(change.p),
        **with_ends("beyond_text", beyond, prefix="beyond_text_"),
        "p_beyond_text": number(beyond.p),
        "note": "; ".join(dict.fromkeys(filter(None, notes))),
        "links": {
            "before": episodes_link(evaluation, before, arm),
            "after": episodes_link(evaluation, after, arm),
            "episodes": _changed_link(evaluation, pair, arm, before, after),
        },
    }


def _changed_link(
    evaluation: Evaluation, pair: gaps.Pair, arm: str, before: Checkpoint, after: Checkpoint
) -> str:
    """Return the address of the episodes on changed items, before and after, or on all if none changed."""
    changed = pair.items[pair.differences != 0] if pair.differences.any() else pair.items
    most = EPISODES_LINKED // 2
    return episodes_named(
        [episode for point in (before, after) for episode in evaluation.episodes(point, arm, changed)[:most]]
    )


def _beyond_text(
    evaluation: Evaluation, pair: gaps.Pair, arm: str, text: str | None, before: Checkpoint, after: Checkpoint
) -> Estimate:
    if arm == text:
        return Estimate()
    if text is None:
        return Estimate(reason="no text arm was evaluated before and after")
    if mixed := evaluation.mixture(text, before, after):
        return Estimate(reason=f"text is not comparable, the set-ups differ: {mixed}")
    base = gaps.pair_of(evaluation.answers(after, text), evaluation.answers(before, text))
    if base is None:
        return Estimate(reason="no item has judged answers as text before and after")
    return double_difference(pair, base)


def _in_words(reason: str) -> str:
    """Reword the reason for a missing gap, so that it is about before and after and not about two arms."""
    return reason.replace("the two arms", "before and after").replace(
        "one of before and after", "one of the two"
    )
