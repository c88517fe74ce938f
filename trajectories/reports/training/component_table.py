"""The table of reward components by policy version and stage, and the states of their alarms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from trajectories.reports.tables import COUNT, PERCENT, Column, Row, Table, interval_columns
from trajectories.reports.training.component_alarms import (
    COLLAPSES,
    PLATEAU,
    PLATEAU_WORDS,
    SPAN,
    WINDOW,
    Collapse,
    Series,
)
from trajectories.reports.training.component_sums import COMPONENTS, SHAPING
from trajectories.reports.training.figures import Figure
from trajectories.reports.training.selectors import VersionFigures
from trajectories.reports.training.version_tables import version_link, with_interval
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.registry import COMPONENTS as REGISTERED

STAGE = "stage"
TITLES = {
    OUTCOME: "Accuracy",
    **{name: REGISTERED.get(name).title for name in COMPONENTS},
    SHAPING: "Shaping",
}
NOTE = (
    "Means over judged episodes that have the component. Tasks that are tagged with a stage have rows of "
    "their own. Shaping is the share earned of what the terms of the run's profile, other than the outcome, "
    "can pay."
)


def component_table(run_id: int, arm: str, versions: Sequence[VersionFigures]) -> Table:
    """Return the table, with a row for each version and stage that has judged episodes."""
    rows: list[Row] = [
        {
            "version": str(version.version),
            STAGE: stage_label(stage),
            "episodes": int(figures[OUTCOME].count),
            "links": {"episodes": version_link(run_id, arm, version.version)},
            **_values(figures),
        }
        for version in versions
        for stage, figures in version.stages.items()
        if len(figures) > 1
    ]
    columns = _columns({name for row in rows for name in row})
    return Table(id="components", title="Components of rewards", columns=columns, rows=rows, notes=[NOTE])


def _columns(known: Collection[str]) -> list[Column]:
    """Return the columns of the measures that occur in at least one row."""
    measures = [
        column
        for name, title in TITLES.items()
        if name in known
        for column in interval_columns(name, title, PERCENT, prefix=f"{name}_", is_titled=True)
    ]
    head = [
        Column("version", "Version"),
        Column(STAGE, "Tasks"),
        Column("episodes", "Judged episodes", COUNT),
    ]
    return [*head, *measures]


def _values(figures: Mapping[str, Figure]) -> dict[str, float | None]:
    return {
        name: value
        for measure, figure in figures.items()
        for name, value in with_interval(measure, figure, is_share=True).items()
    }


def stage_label(stage: int) -> str:
    """Return the name of a stage, or an empty string for tasks outside the stages."""
    return f"{STAGE} {stage}" if stage else ""


def component_series(versions: Sequence[VersionFigures]) -> Mapping[str, Series]:
    """Return the figures by stage and measure, with stages in the order in which they began."""
    series: dict[str, dict[str, list[tuple[int, Figure]]]] = {}
    for version in versions:
        for stage, figures in version.stages.items():
            for measure, figure in figures.items():
                of_stage = series.setdefault(stage_label(stage), {})
                of_stage.setdefault(measure, []).append((version.version, figure))
    return series


def rules_shown(series: Mapping[str, Series], *, is_shaped: bool) -> list[tuple[Collapse, str, str]]:
    """Return each rule with its words, and with its state for when it raised no alarm."""
    states = [
        (rule, rule.words, _state(series, rule.measure, versions=2 * WINDOW, missing="no such component"))
        for rule in COLLAPSES
    ]
    paid = "no component of the profile is known" if is_shaped else "the run is paid for outcomes alone"
    plateau = _state(series, SHAPING, versions=2 * SPAN, missing=paid)
    return [*states, (PLATEAU, PLATEAU_WORDS, plateau)]


def _state(series: Mapping[str, Series], measure: str, *, versions: int, missing: str) -> str:
    known = max((len(of_stage.get(measure, ())) for of_stage in series.values()), default=0)
    if not known:
        return f"cannot say: {missing}"
    return "not raised" if known >= versions else f"cannot say: {known} of at least {versions} versions"
