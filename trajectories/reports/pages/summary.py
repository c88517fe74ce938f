"""The summary of each benchmark in one sentence: how many points of the gap arise at each rung."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from trajectories.reports.labels import arm_label
from trajectories.reports.pages.tables import table_get, text_of

POINTS = "points"
TOTAL = "total"

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A number in the sentence, with its interval in words and a link to its items."""

    label: str
    text: str
    interval: str
    link: str


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The parts of the sentence about one benchmark.

    ``reason`` explains why there is no total, or how to read it. ``missing`` has the rungs without a number,
    each with the reason. If all arms are at 0% or at 100%, where no gap can show, ``bound`` states that;
    otherwise it is empty.
    """

    benchmark: str
    first: str
    last: str
    total: Part | None
    parts: Sequence[Part]
    missing: Sequence[tuple[str, str]]
    reason: str
    bound: str = ""


BOUNDS = {
    0.0: "no answer was right in any arm, so the page had nothing to lose",
    100.0: "every answer was right in every arm, so no gap can show",
}


def sentences_of(result: Mapping[str, Any] | None) -> list[Sentence]:
    """Return a sentence for each benchmark that has a ladder."""
    table, accuracies = table_get(result, "rungs"), table_get(result, "accuracy")
    rows = table["rows"] if table else []
    return [
        _sentence(str(name), list(own), bound=_bound(accuracies, str(name)))
        for name, own in groupby(rows, key=lambda row: row["benchmark"])
    ]


def _bound(accuracies: Mapping[str, Any] | None, benchmark: str) -> str:
    """Return the reason why no gap can show if all arms are at one end of the scale, otherwise empty."""
    rows = accuracies["rows"] if accuracies else []
    shares = {row["accuracy"] for row in rows if row["benchmark"] == benchmark}
    return BOUNDS.get(shares.pop(), "") if len(shares) == 1 else ""


def _sentence(benchmark: str, rows: Sequence[Row], *, bound: str) -> Sentence:
    total = next((row for row in rows if row["rung"] == TOTAL), rows[0])
    has_total = total["gap"] is not None
    return Sentence(
        benchmark=benchmark,
        first=arm_label(total["a"]),
        last=arm_label(total["b"]),
        total=_part(total) if has_total else None,
        parts=[_part(row) for row in rows if row is not total and row["gap"] is not None],
        missing=[(row["rung"], row["note"]) for row in rows if row is not total and row["gap"] is None],
        reason=_reason(total),
        bound=bound if has_total else "",
    )


def _part(row: Row) -> Part:
    low, high = row["low"], row["high"]
    interval = "no interval" if low is None else f"{text_of(low, POINTS)} to {text_of(high, POINTS)}"
    link = row.get("links", {}).get("gap", "")
    return Part(label=row["rung"], text=text_of(row["gap"], POINTS), interval=interval, link=link)


def _reason(total: Row) -> str:
    includes_zero = total["low"] is not None and total["low"] <= 0 <= total["high"]
    zero = "the interval of the total includes 0, so no gap is shown" if includes_zero else ""
    return "; ".join(filter(None, (zero, total.get("note") or "")))
