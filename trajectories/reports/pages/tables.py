"""Tables of a report as pages show them: a value with its interval below it, and a link to its episodes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajectories.reports.pages.labels import label_of
from trajectories.shell.text.numerals import numeral

# Columns that are shown as the interval of another, and pairs that are shown as one range.
NAMED_INTERVALS = (
    "matched",
    "text",
    "page",
    "change",
    "beyond_text",
    "reward",
    "void",
    "invalid_actions",
    "thought_words",
    "restates",
    "numbers",
    "formulas",
    "checks",
    "steps",
    "loops",
    "backtracks",
    "outcome",
    "syntax",
    "executed",
    "needed",
    "redundant",
    "selection",
    "arguments",
    "call_results",
    "shaping",
    "recall",
    "precision",
    "execution",
    "wrong",
)
INTERVALS = {
    "accuracy": ("low", "high"),
    "gap": ("low", "high"),
    "pass_at_k": ("low", "high"),
    "words": ("low", "high"),
    "per_step": ("per_step_low", "per_step_high"),
    "estimate": ("low", "high"),
    "share": ("low", "high"),
    "reading": ("low", "high"),
    "effect": ("low", "high"),
    "odds_ratio": ("odds_low", "odds_high"),
    "corrected": ("corrected_low", "corrected_high"),
    **{name: (f"{name}_low", f"{name}_high") for name in NAMED_INTERVALS},
}
RANGES = {"bootstrap_low": ("bootstrap_high", "Bootstrap"), "void_low": ("void_high", "With void")}
DECIMALS = {"%": 1, "points": 1, "words": 1, "count": 0, "": 3}
# What a wide table shows apart, below what names its rows.
OTHER_TESTS = {"odds_ratio", "p_permutation", "p_mcnemar", "bootstrap_low", "p_equivalence", "void_low"}
APART = {"gaps": OTHER_TESTS, "setup_differences": OTHER_TESTS}
NAMING = 2


@dataclass(frozen=True, kw_only=True)
class Cell:
    """``interval`` and ``link`` are empty where there is none."""

    title: str
    text: str
    interval: str = ""
    link: str = ""
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """``apart`` is the rest of a wide table."""

    id: str
    title: str
    heads: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    apart: ShownTable | None = None


def tables_of(result: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The stored tables; those without rows are left out unless a note says what that means."""
    tables = result["tables"] if result else []
    return [table for table in tables if table["rows"] or table["notes"]]


def table_get(result: Mapping[str, Any] | None, table_id: str) -> Mapping[str, Any] | None:
    tables = result["tables"] if result else []
    return next((table for table in tables if table["id"] == table_id), None)


def table_shown(table: Mapping[str, Any]) -> ShownTable:
    names = [column["id"] for column in table["columns"]]
    others = APART.get(table["id"], set())
    apart = _part(table, [*names[:NAMING], *(name for name in names if name in others)]) if others else None
    return _part(table, [name for name in names if name not in others], notes=table["notes"], apart=apart)


def _part(
    table: Mapping[str, Any],
    names: Collection[str],
    *,
    notes: Sequence[str] = (),
    apart: ShownTable | None = None,
) -> ShownTable:
    merged = {name for column in table["columns"] for name in _ends(column)}
    merged |= {high for high, _ in RANGES.values()}
    columns = [
        column
        for column in table["columns"]
        if column["id"] in names and column["id"] not in merged and not _is_empty(table, column)
    ]
    return ShownTable(
        id=table["id"],
        title=table["title"],
        heads=[(_head(column), _is_number(column)) for column in columns],
        rows=[[_cell(row, column) for column in columns] for row in table["rows"]],
        notes=notes,
        apart=apart,
    )


def _ends(column: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of its interval: a share of void episodes has one, their number none."""
    return () if column["unit"] == "count" else INTERVALS.get(column["id"], ())


def _is_empty(table: Mapping[str, Any], column: Mapping[str, str]) -> bool:
    """Return whether a column of text, such as the notes, has nothing to say."""
    return not _is_number(column) and all(not row.get(column["id"]) for row in table["rows"])


def _cell(row: Mapping[str, Any], column: Mapping[str, str]) -> Cell:
    name, unit = column["id"], column["unit"]
    title = _head(column)
    if name in RANGES:
        return Cell(title=title, text=_range(row.get(name), row.get(RANGES[name][0]), unit), is_number=True)
    value = row.get(name)
    link = "" if value is None else row.get("links", {}).get(name, "")
    if isinstance(value, str):
        return Cell(title=title, text=label_of(row, name), link=link)
    if value is None and not _is_number(column):
        return Cell(title=title, text="")
    low, high = (row.get(end) for end in _ends(column) or ("", ""))
    interval = "" if low is None else _range(low, high, unit)
    return Cell(
        title=title, text=text_of(value, unit), interval=interval, link=link, is_number=_is_number(column)
    )


def link_of(row: Mapping[str, Any], column: str) -> str:
    """The address of the episodes behind a value, else of its row's; empty where there are none to open."""
    links: Mapping[str, str] = row.get("links", {})
    # Zero percent void opens the version's episodes, not an empty list of void ones.
    own = links.get(column) if row.get(column) else ""
    return own or links.get("episodes") or links.get("items") or links.get(column, "")


def text_of(value: float | None, unit: str) -> str:
    """A number with the decimals of its unit."""
    if value is None:
        return "–"
    if unit == "" and 0 <= value < 0.001:
        return "< 0.001"
    text = numeral(value, f",.{DECIMALS[unit]}f")
    return f"{text}%" if unit == "%" else text


def _range(low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None or low == high:
        return text_of(low if low == high else None, unit)
    return f"{text_of(low, unit)} to {text_of(high, unit)}"


def _head(column: Mapping[str, str]) -> str:
    title = RANGES[column["id"]][1] if column["id"] in RANGES else column["title"]
    return f"{title}, {column['unit']}" if column["unit"] == "points" else title


def _is_number(column: Mapping[str, str]) -> bool:
    return bool(column["unit"]) or column["id"].startswith(("p_", "odds")) or column["id"] == "p"
