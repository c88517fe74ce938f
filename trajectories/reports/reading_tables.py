"""Reading accuracy of a model: its copies of the questions, by benchmark, look and item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.estimators.accuracy import accuracy
from trajectories.reports.estimators.answers import NO_LOOK, Answers, item_means
from trajectories.reports.ladder import ArmKey
from trajectories.reports.tables import COUNT, PERCENT, Column, Row, Table, episodes_link, scaled, with_ends

PROBE, PAGE = "probe_read", "gym"
# The items that are read worst.
ITEMS_SHOWN = 20
VALUES = (
    Column("episodes", "Copies", COUNT),
    Column("reading", "Reading accuracy", PERCENT),
    Column("low", "Low", PERCENT),
    Column("high", "High", PERCENT),
    Column("exact", "Exact copies", PERCENT),
)
NOTE = Column("note", "Note")
READING_COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Probe"),
    Column("items", "Items", COUNT),
    Column("looks", "Looks", COUNT),
    *VALUES,
    Column("without_copy", "Without a copy", COUNT),
    NOTE,
)
LOOK_COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Probe"),
    Column("look", "Look"),
    *VALUES,
    Column("page", "Right as page", PERCENT),
    NOTE,
)
ITEM_COLUMNS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Probe"),
    Column("task", "Item"),
    Column("episodes", "Copies", COUNT),
    Column("reading", "Reading accuracy", PERCENT),
    Column("page", "Right as page", PERCENT),
)
WHAT = (
    "Reading accuracy is 1 less the edit distance between the question and the model's copy of its page, "
    "divided by the longer text's length (probe_read). LaTeX that is written differently and drawn alike "
    "counts as different."
)


def reading_tables(analyses: Sequence[Analysis]) -> list[Table]:
    """Return the tables; None without a reading probe."""
    probed = [(analysis, key) for analysis in analyses for key in analysis.data.arms if key.arm == PROBE]
    if not probed:
        return []
    return [
        Table(
            id="reading",
            title="Reading",
            columns=READING_COLUMNS,
            rows=[_reading_row(*part) for part in probed],
            notes=[WHAT],
        ),
        Table(
            id="reading_looks",
            title="Reading by look",
            columns=LOOK_COLUMNS,
            rows=[row for part in probed for row in _look_rows(*part)],
        ),
        Table(
            id="reading_items",
            title="Items that are read worst",
            columns=ITEM_COLUMNS,
            rows=[row for part in probed for row in _item_rows(*part)],
            notes=[f"At most {ITEMS_SHOWN} of each benchmark, of those without an exact copy each time."],
        ),
    ]


def _reading_row(analysis: Analysis, key: ArmKey) -> Row:
    probes = analysis.data.episodes(key, analysis.items)
    copies = _copies(probes)
    row = {
        "benchmark": analysis.benchmark,
        "arm": key.id,
        "without_copy": int((probes.outcome >= 0).sum()) - len(copies.item),
        "links": {"reading": analysis.episodes_link(key)},
    }
    if mixed := analysis.mixture(key):
        return {**row, "note": mixed}
    return {**row, **_values(analysis, copies, are_looks_one=False)}


def _look_rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    """The worst first."""
    if analysis.mixture(key):
        return
    copies = _copies(analysis.data.episodes(key, analysis.items))
    page = analysis.data.answers(ArmKey(PAGE, observation=key.observation), analysis.items)
    rows = []
    for look in np.unique(copies.look):
        right = page.where(page.look == look)
        here = copies.where(copies.look == look)
        rows.append(
            {
                "benchmark": analysis.benchmark,
                "arm": key.id,
                "look": analysis.data.looks[look],
                **_values(analysis, here, are_looks_one=True),
                "page": scaled(_mean(right)),
                "links": {"look": episodes_link(here.episode.tolist())},
            }
        )
    yield from sorted(rows, key=lambda row: row["reading"])


def _item_rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    if analysis.mixture(key):
        return
    copies = _copies(analysis.data.episodes(key, analysis.items))
    answers = Answers(item=copies.item, look=copies.look, correct=copies.score)
    means = item_means(answers, answers.items)
    page = analysis.data.answers(ArmKey(PAGE, observation=key.observation), analysis.items)
    for place in np.lexsort((answers.items, means))[:ITEMS_SHOWN]:
        item = answers.items[place]
        if means[place] == 1:
            return
        right = page.correct[page.item == item]
        here = copies.where(copies.item == item)
        yield {
            "benchmark": analysis.benchmark,
            "arm": key.id,
            "task": str(analysis.data.items[item].task),
            "episodes": len(here.item),
            "reading": scaled(float(means[place])),
            "page": scaled(float(right.mean())) if len(right) else None,
            "links": {
                "task": f"/tasks/{analysis.data.items[item].task}/",
                "reading": episodes_link(here.episode.tolist()),
            },
        }


def _mean(answers: Answers) -> float | None:
    """The mean over items of the item's mean, as accuracies are; None without an answer."""
    return float(item_means(answers, answers.items).mean()) if len(answers.item) else None


def _copies(probes: Episodes) -> Episodes:
    """Return the episodes that ended with a copy."""
    return probes.where((probes.outcome >= 0) & ~np.isnan(probes.score))


def _values(analysis: Analysis, copies: Episodes, *, are_looks_one: bool) -> dict[str, Any]:
    look = np.full(len(copies.look), NO_LOOK) if are_looks_one else copies.look
    answers = Answers(item=copies.item, look=look, correct=copies.score)
    estimate = accuracy(answers, alpha=analysis.alpha)
    return {
        "items": estimate.items,
        "looks": estimate.looks,
        "episodes": len(copies.item),
        **with_ends("reading", estimate),
        "exact": scaled(_mean(replace(answers, correct=(copies.outcome == 1).astype(np.float64)))),
        "note": estimate.reason,
    }
