"""The tables about a training run's own episodes by policy version and epoch, and about posted metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajectories.models import PolicyVersion
from trajectories.reports.tables import (
    COUNT,
    NONE,
    PERCENT,
    Column,
    Row,
    Table,
    interval_columns,
    number,
    scaled,
    search_link,
)
from trajectories.reports.training.figures import Figure
from trajectories.reports.training.selectors import GroupCounts, VersionFigures

# The title of each measure, and whether its value is a share.
SHOWN = {
    "reward": ("Reward", True),
    "void": ("Void", True),
    "invalid_actions": ("Invalid actions, of steps", True),
    "thought_words": ("Words per thought", False),
    "restates": ("Narration", True),
    "numbers": ("Numbers per thought", False),
    "formulas": ("Formulas per thought", False),
    "checks": ("Steps that verify", False),
    "steps": ("Steps", False),
    "loops": ("Repeated steps", False),
    "backtracks": ("Backtracks", False),
}
VERSION_COLUMNS = (
    Column("version", "Version"),
    Column("checkpoint", "Checkpoint"),
    Column("episodes", "Episodes", COUNT),
    *(
        column
        for name, (title, is_share) in SHOWN.items()
        for column in interval_columns(
            name, title, PERCENT if is_share else NONE, prefix=f"{name}_", is_titled=True
        )
    ),
    Column("note", "Note"),
)
GROUP_COLUMNS = (
    Column("groups", "Groups", COUNT),
    Column("tasks", "Tasks", COUNT),
    Column("repeated", "Of tasks seen before", COUNT),
    Column("all_right", "All right", COUNT),
    Column("all_wrong", "All wrong", COUNT),
    Column("degenerate", "Degenerate", PERCENT),
    Column("note", "Note"),
)
TASK_COLUMNS = (Column("version", "Version"), *GROUP_COLUMNS)
EPOCH_COLUMNS = (Column("epoch", "Epoch"), *GROUP_COLUMNS)
NARRATION = (
    "Reward is the mean over judged episodes; intervals (95%) are clustered by task. Narration is the share "
    "of the thought that restates the page or the action. Like all measures of behaviour, it is a heuristic."
)
DEGENERATE = (
    "A group is degenerate if at least two of its samples were judged and all are right or all are wrong, "
    "because it then has no advantage to learn from."
)
EPOCH = "A task's n-th group belongs to epoch n."


def version_table(
    run_id: int, arm: str, versions: Sequence[VersionFigures], registered: Mapping[int, PolicyVersion]
) -> Table:
    rows = [_version_row(run_id, arm, version, registered) for version in versions]
    return Table(
        id="versions", title="Reward and behaviour", columns=VERSION_COLUMNS, rows=rows, notes=[NARRATION]
    )


def task_table(run_id: int, arm: str, counts: Mapping[int, GroupCounts]) -> Table:
    rows = [
        {**_version_head(run_id, arm, version), **_counts(group)} for version, group in sorted(counts.items())
    ]
    return Table(
        id="tasks", title="Tasks by policy version", columns=TASK_COLUMNS, rows=rows, notes=[DEGENERATE]
    )


def epoch_table(epochs: Sequence[GroupCounts]) -> Table:
    rows = [{"epoch": str(group.epoch), **_counts(group)} for group in epochs]
    return Table(id="epochs", title="Tasks by epoch", columns=EPOCH_COLUMNS, rows=rows, notes=[EPOCH])


def metric_table(run_id: int, arm: str, posted: Mapping[str, Mapping[int, float]]) -> Table:
    """Return the table of posted metrics, with a row per version and a column per metric."""
    names = list(posted)
    columns = [
        Column("version", "Version"),
        *(Column(f"metric_{index}", name) for index, name in enumerate(names)),
    ]
    versions = sorted({version for values in posted.values() for version in values})
    rows = [
        {
            **_version_head(run_id, arm, version),
            **{f"metric_{index}": number(posted[name].get(version)) for index, name in enumerate(names)},
        }
        for version in versions
    ]
    return Table(id="metrics", title="Posted by the trainer", columns=columns, rows=rows)


def version_link(run_id: int, arm: str, version: int, **filters: str) -> str:
    return search_link(run=run_id, arm=arm, policy_version=version, **filters)


def _version_head(run_id: int, arm: str, version: int) -> dict[str, Any]:
    return {"version": str(version), "links": {"episodes": version_link(run_id, arm, version)}}


def _version_row(run_id: int, arm: str, of: VersionFigures, registered: Mapping[int, PolicyVersion]) -> Row:
    known = registered.get(of.version)
    row: dict[str, Any] = {
        "version": str(of.version),
        "checkpoint": known.checkpoint if known else "",
        "episodes": of.ended,
        "links": {
            "episodes": version_link(run_id, arm, of.version),
            "reward": version_link(run_id, arm, of.version, outcome="correct"),
            "void": version_link(run_id, arm, of.version, outcome="void"),
        },
    }
    for name, (_, is_share) in SHOWN.items():
        if figure := of.figures.get(name):
            row |= with_interval(name, figure, is_share=is_share)
    if "reward" not in of.figures:
        row["note"] = "every episode is void"
    elif "steps" not in of.figures:
        row["note"] = "behaviour is not computed yet"
    return row


def with_interval(name: str, figure: Figure, *, is_share: bool) -> dict[str, float | None]:
    """Return a figure and its interval as cells of a row, with shares in percent.

    Intervals are cut to the possible values, because they are symmetrical and may reach beyond them.
    """
    made = scaled if is_share else number
    ends = figure.interval()
    if ends is None:
        return {name: made(figure.value)}
    low, high = max(0.0, ends[0]), min(1.0, ends[1]) if is_share else ends[1]
    return {name: made(figure.value), f"{name}_low": made(low), f"{name}_high": made(high)}


def _counts(group: GroupCounts) -> dict[str, Any]:
    degenerate = group.all_right + group.all_wrong
    return {
        "groups": group.groups,
        "tasks": group.tasks,
        "repeated": group.repeated,
        "all_right": group.all_right,
        "all_wrong": group.all_wrong,
        "all_right_share": scaled(group.all_right / group.comparable) if group.comparable else None,
        "all_wrong_share": scaled(group.all_wrong / group.comparable) if group.comparable else None,
        "degenerate": scaled(degenerate / group.comparable) if group.comparable else None,
        "note": "" if group.comparable else "no group has two judged samples",
    }
