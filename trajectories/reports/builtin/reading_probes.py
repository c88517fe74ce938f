"""The tables of reading accuracy, from a model's copies of the questions, by benchmark, look and item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.estimators.accuracy import accuracy
from trajectories.reports.estimators.answers import NO_LOOK, Answers, item_means
from trajectories.reports.ladder import ArmKey
from trajectories.reports.registry import report_table
from trajectories.reports.tables import (
    COUNT,
    PERCENT,
    Column,
    Row,
    episodes_link,
    interval_columns,
    scaled,
    with_ends,
)

PROBE, PAGE = "probe_read", "gym"
# The most items shown per benchmark, which are those that are read worst.
ITEMS_SHOWN = 20
VALUES = (
    Column("episodes", "Copies", COUNT),
    *interval_columns("reading", "Reading accuracy", PERCENT),
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
MEANING = (
    "Reading accuracy is 1 minus the edit distance between the question and the model's copy of its page, "
    "divided by the longer text's length (probe_read). LaTeX that is written differently counts as different "
    "even if it looks the same."
)


def _probes(analysis: Analysis) -> list[ArmKey]:
    return [key for key in analysis.data.arms if key.arm == PROBE]


@report_table("reading", "Reading", 90, columns=READING_COLUMNS, notes=[MEANING], when=_probes)
def reading_rows(analysis: Analysis) -> list[Row]:
    return [_reading_row(analysis, key) for key in _probes(analysis)]


def _reading_row(analysis: Analysis, key: ArmKey) -> Row:
    probes = analysis.data.episodes(key, analysis.items)
    copies = _copies(probes)
    row = {
        **analysis.arm_cells(key),
        "without_copy": int((probes.outcome >= 0).sum()) - len(copies.item),
        "links": {"reading": analysis.episodes_link(key)},
    }
    if mixed := analysis.mixture(key):
        return {**row, "note": mixed}
    return {**row, **_values(analysis, copies, are_looks_one=False)}


@report_table("reading_looks", "Reading by look", 91, columns=LOOK_COLUMNS, is_reference=True, when=_probes)
def look_rows(analysis: Analysis) -> Iterator[Row]:
    """Yield a row per look, with those that were read worst first."""
    for key in _probes(analysis):
        if not analysis.mixture(key):
            yield from sorted(_look_rows(analysis, key), key=lambda row: row["reading"])


def _look_rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    copies = _copies(analysis.data.episodes(key, analysis.items))
    page = analysis.data.answers(ArmKey(PAGE, observation=key.observation), analysis.items)
    for look in np.unique(copies.look):
        right = page.where(page.look == look)
        here = copies.where(copies.look == look)
        yield {
            **analysis.arm_cells(key),
            "look": analysis.data.looks[look],
            **_values(analysis, here, are_looks_one=True),
            "page": scaled(_mean(right)),
            "links": {"look": episodes_link(here.episode.tolist())},
        }


@report_table(
    "reading_items",
    "Items that are read worst",
    92,
    columns=ITEM_COLUMNS,
    notes=lambda _analyses, _rows: [
        f"At most {ITEMS_SHOWN} items of each benchmark; items that were always copied exactly are left out."
    ],
    is_reference=True,
    when=_probes,
)
def item_rows(analysis: Analysis) -> Iterator[Row]:
    for key in _probes(analysis):
        if not analysis.mixture(key):
            yield from _item_rows(analysis, key)


def _item_rows(analysis: Analysis, key: ArmKey) -> Iterator[Row]:
    copies = _copies(analysis.data.episodes(key, analysis.items))
    answers = Answers(item=copies.item, look=copies.look, correct=copies.score)
    means = item_means(answers, answers.items)
    page = analysis.data.answers(ArmKey(PAGE, observation=key.observation), analysis.items)
    for number in np.lexsort((answers.items, means))[:ITEMS_SHOWN]:
        item = answers.items[number]
        if means[number] == 1:
            return
        right = page.correct[page.item == item]
        here = copies.where(copies.item == item)
        yield {
            **analysis.arm_cells(key),
            "task": str(analysis.data.items[item].task),
            "episodes": len(here.item),
            "reading": scaled(float(means[number])),
            "page": scaled(float(right.mean())) if len(right) else None,
            "links": {
                "task": f"/tasks/{analysis.data.items[item].task}/",
                "reading": episodes_link(here.episode.tolist()),
            },
        }


def _mean(answers: Answers) -> float | None:
    """Return the mean over items of each item's mean, as for accuracies, or None without answers."""
    return float(item_means(answers, answers.items).mean()) if len(answers.item) else None


def _copies(probes: Episodes) -> Episodes:
    """Return the probe episodes that ended with a copy of the question."""
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
