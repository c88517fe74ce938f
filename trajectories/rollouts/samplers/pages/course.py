"""The course of a sampler with stages, as drawings and in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from trajectories.rollouts.samplers.course import Measured, Progress, progress_of
from trajectories.rollouts.samplers.pages.charts import POINTS_MAX, Chart, Draws, chart_draw
from trajectories.shell.charts.lines import Point

MOVES = {
    "begins": "the course begins with it",
    "stays": "",
    "moves_on": "the criteria of the stage before hold",
    "goes_back": "it has fallen too far below its criteria",
}


def course_charts(draws: Draws) -> list[Chart]:
    """The stage by draw, and the criteria of each stage as long as it lasted."""
    known = [(number, one) for number, summary in draws if (one := progress_of(summary))]
    known = known[:: math.ceil(len(known) / POINTS_MAX) or 1]
    stages = [Point(number, float(one.stage), f"draw {number}: {course_words(one)}") for number, one in known]
    charts = [chart_draw("stages", "Stage", "the one that each draw was of", {"Stage": stages}, unit="stage")]
    for stage in dict.fromkeys(one.stage for _, one in known):
        note = "their values over the newest judged episodes of the stage"
        lines = _lines(known, stage)
        charts.append(chart_draw(f"stage-{stage}", f"Criteria of stage {stage}", note, lines, unit=""))
    return [chart for chart in charts if chart]


def _lines(known: Iterable[tuple[int, Progress]], stage: int) -> dict[str, list[Point]]:
    """Points by criterion, up to the draw that left the stage."""
    lines: dict[str, list[Point]] = {}
    for number, progress in known:
        left = progress.because if progress.move == "moves_on" else []
        for one in (*left, *progress.criteria):
            if one.stage == stage and one.value is not None:
                point = Point(number, one.value, f"draw {number}: {criterion_words(one)}")
                lines.setdefault(_name(one), []).append(point)
    return lines


def course_words(progress: Progress) -> str:
    """The stage, since when, and why."""
    since = f"stage {progress.stage} since draw {progress.since}"
    over = "its criteria hold, and the course is over" if progress.is_over else ""
    because = _joined(progress.because) if progress.move == "moves_on" else ""
    return ": ".join(filter(None, [since, MOVES[progress.move], because, over, _joined(progress.criteria)]))


def criterion_words(one: Measured) -> str:
    """The value of a criterion beside its marks."""
    marks = {"at least": one.at_least, "at most": one.at_most}
    bounds = " and ".join(f"{words} {mark:g}" for words, mark in marks.items() if mark is not None)
    if one.value is None:
        return f"{_name(one)} not known yet ({bounds}; {one.judged:,} judged episodes)"
    return f"{_name(one)} {one.value:.3g} ({bounds}; {one.episodes:,} episodes)"


def _joined(criteria: Sequence[Measured]) -> str:
    return ", ".join(map(criterion_words, criteria))


def _name(one: Measured) -> str:
    return one.component if one.measure == "mean" else one.measure
