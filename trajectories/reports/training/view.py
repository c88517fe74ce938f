"""The training view of a run: tables of its policy versions and evaluations, and the state of its alarms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaestra.protocol.arms import ARMS
from trajectories.models import PolicyVersion, Run
from trajectories.reports.tables import Column, Row, Table, number, table_record
from trajectories.reports.training import selectors
from trajectories.reports.training.alarms import RULES, TEXT_TITLE, TEXT_WORDS, Alarm, alarms_of
from trajectories.reports.training.component_alarms import Series, component_alarms
from trajectories.reports.training.component_sums import has_shaping
from trajectories.reports.training.component_table import component_series, component_table, rules_shown
from trajectories.reports.training.evaluation_table import evaluation_table, is_compared, text_alarms
from trajectories.reports.training.evaluations import (
    Evaluation,
    checkpoints_of,
    evaluation_runs,
    evaluations_of,
)
from trajectories.reports.training.selectors import VersionFigures
from trajectories.reports.training.transfer_table import transfer_rows, transfer_table
from trajectories.reports.training.version_tables import epoch_table, metric_table, task_table, version_table

ALARM_COLUMNS = (
    Column("alarm", "Alarm"),
    Column("state", "State"),
    Column("since", "Since"),
    Column("reference", "Reference"),
    Column("value", "Value"),
    Column("p", "p"),
    Column("look", "Where to look"),
    Column("rule", "Rule"),
)
SPENDING = (
    "An alarm also needs a p-value below what is left for that version, so that at most 5% of healthy runs "
    "ever raise an alarm on behaviour, and at most 5% one on reward components (measured by simulation: "
    "python -m validation.alarms)."
)


@dataclass(frozen=True, kw_only=True)
class TrainingView:
    """The training view of a run.

    The tables of versions count the episodes of ``arm``, which is one of ``arms``. ``problems`` are sentences
    about what cannot be shown, and why.
    """

    arm: str
    arms: Sequence[str]
    trained_on: Sequence[str]
    alarms: Sequence[Alarm]
    problems: Sequence[str]
    tables: Sequence[Table]

    def record(self) -> dict[str, Any]:
        """Return the view as plain JSON values, without the alarms, which are in a table."""
        return {
            "arm": self.arm,
            "arms": list(self.arms),
            "trained_on": list(self.trained_on),
            "problems": list(self.problems),
            "tables": [table_record(table) for table in self.tables],
        }


def training_view(run: Run, *, arm: str = "", splits: Collection[str] = ()) -> TrainingView:
    """Compute the view for ``arm`` or, if it has no episodes, for the arm with the most episodes."""
    by_arm = selectors.version_figures(run.pk, splits=splits)
    chosen = arm if arm in by_arm else max(by_arm, key=lambda name: _ended(by_arm[name]), default="")
    versions = by_arm.get(chosen, ())
    checkpoints = checkpoints_of(run)
    evaluations = evaluations_of(evaluation_runs(run, checkpoints), checkpoints, splits=splits)
    trained_on = selectors.trained_on(run, splits=splits)
    by_version, epochs = selectors.group_counts(run.pk, arm=chosen, splits=splits)
    series = component_series(versions)
    of_components = component_alarms(series)
    alarms = [*alarms_of(_series(versions)), *text_alarms(evaluations)]
    return TrainingView(
        arm=chosen,
        arms=[name for name in ARMS if name in by_arm],
        trained_on=trained_on,
        alarms=[*alarms, *of_components],
        problems=_problems(versions, evaluations),
        tables=[
            _alarm_table(
                [
                    *_alarm_rows(alarms, versions, evaluations),
                    *_component_rows(of_components, series, is_shaped=has_shaping(run)),
                ]
            ),
            version_table(run.pk, chosen, versions, _registered(run)),
            component_table(run.pk, chosen, versions),
            evaluation_table(evaluations),
            transfer_table(transfer_rows(evaluations, trained_on=trained_on, run=run)),
            task_table(run.pk, chosen, by_version),
            epoch_table(epochs),
            metric_table(run.pk, chosen, selectors.posted_metrics(run.pk)),
        ],
    )


def _ended(versions: Sequence[VersionFigures]) -> int:
    return sum(version.ended for version in versions)


def _registered(run: Run) -> dict[int, PolicyVersion]:
    return {row.version: row for row in PolicyVersion.objects.filter(run=run)}


def _series(versions: Sequence[VersionFigures]) -> dict[str, list[tuple[int, Any]]]:
    return {
        rule.measure: [
            (version.version, version.figures[rule.measure])
            for version in versions
            if rule.measure in version.figures
        ]
        for rule in RULES
    }


def _problems(versions: Sequence[VersionFigures], evaluations: Sequence[Evaluation]) -> list[str]:
    problems = []
    if not versions:
        problems.append("No episode with a policy version has ended, so there is nothing to plot yet.")
    elif all("reward" not in version.figures for version in versions):
        problems.append("Every episode is void, so there is no reward.")
    elif len(versions) == 1:
        problems.append("There is only one policy version. Changes show from the second version on.")
    if not evaluations:
        problems.append(
            "No evaluation belongs to this run. Gap, text accuracy and transfer need runs of kind eval with "
            "the same model, and with the checkpoint of the run or of one of its policy versions."
        )
    elif not is_compared(evaluations):
        problems.append(
            "No two checkpoints were evaluated on the same items in the same set-up both as text and as a "
            "page, so it is unknown whether the gap closes, and why."
        )
    return problems


def _alarm_table(rows: Sequence[Row]) -> Table:
    return Table(id="alarms", title="Alarms", columns=ALARM_COLUMNS, rows=rows, notes=[SPENDING])


def _component_rows(
    alarms: Sequence[Alarm], series: Mapping[str, Series], *, is_shaped: bool
) -> Iterator[Row]:
    """Yield a row for each alarm of each rule, or one row with the rule's state if it raised no alarm."""
    for rule, words, state in rules_shown(series, is_shaped=is_shaped):
        raised: list[Alarm | None] = [alarm for alarm in alarms if alarm.rule == rule.id]
        for alarm in raised or [None]:
            yield _alarm_row(alarm, title=rule.title, words=words, state=state)


def _alarm_rows(
    alarms: Sequence[Alarm], versions: Sequence[VersionFigures], evaluations: Sequence[Evaluation]
) -> list[Row]:
    rows: list[Row] = []
    raised = {alarm.rule: alarm for alarm in alarms}
    for rule in RULES:
        known = sum(rule.measure in version.figures for version in versions)
        state = "not raised"
        if known < rule.versions_min:
            state = f"cannot say: {known} of at least {rule.versions_min} versions"
        rows.append(_alarm_row(raised.get(rule.id), title=rule.title, words=rule.words, state=state))
    of_text: list[Alarm | None] = [alarm for alarm in alarms if alarm.title == TEXT_TITLE]
    state = "not raised" if is_compared(evaluations) else "cannot say: no two comparable evaluations"
    rows += [
        _alarm_row(alarm, title=TEXT_TITLE, words=TEXT_WORDS, state=state) for alarm in of_text or [None]
    ]
    return rows


def _alarm_row(alarm: Alarm | None, *, title: str, words: str, state: str) -> Row:
    if alarm is None:
        return {"alarm": title, "state": state, "rule": words}
    where = f" on {alarm.scope}" if alarm.scope else ""
    return {
        "alarm": title,
        "state": f"raised at version {alarm.version}{where}",
        "since": f"version {alarm.since}",
        "reference": alarm.figure(alarm.reference),
        "value": alarm.figure(alarm.value),
        "p": number(alarm.p),
        "look": alarm.look,
        "rule": words,
        "version": alarm.version,
    }
