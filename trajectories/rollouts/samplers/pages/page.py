"""The contents of the page of a run's samplers: how they draw, what they drew and why, and the results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import render
from msgspec import Struct

from tasks_app.models import Task
from trajectories.models import Run, Sampler, SamplerDraw
from trajectories.rollouts.samplers.course import Measured, Progress, progress_of
from trajectories.rollouts.samplers.pages.charts import (
    POINTS_MAX,
    Chart,
    Draws,
    chart_draw,
    charts_of,
    posteriors_draw,
)
from trajectories.rollouts.samplers.plans import PARTS, DifficultySchedule
from trajectories.shell.access import LabRequest, lab_page
from trajectories.shell.charts.drawing import Drawing
from trajectories.shell.charts.lines import Point
from trajectories.shell.queries import runs as selectors

MOVES = {
    "begins": "the course begins with it",
    "stays": "",
    "moves_on": "the criteria of the previous stage hold",
    "goes_back": "it has missed its criteria by too much",
}
SAMPLERS_SHOWN = 20
# Only the newest draws are charted. The API has the older ones.
DRAWS_CHARTED = 2_000


def course_charts(draws: Draws) -> list[Chart]:
    """Return a chart of the stage by draw, and charts of each stage's criteria while it lasted."""
    known = [(number, one) for number, summary in draws if (one := progress_of(summary))]
    known = known[:: math.ceil(len(known) / POINTS_MAX) or 1]
    stages = [Point(number, float(one.stage), f"draw {number}: {course_words(one)}") for number, one in known]
    charts = [chart_draw("stages", "Stage", "the stage of each draw", {"Stage": stages}, unit="stage")]
    for stage in dict.fromkeys(one.stage for _, one in known):
        note = "values over the newest judged episodes of the stage"
        lines = _lines(known, stage)
        charts.append(chart_draw(f"stage-{stage}", f"Criteria of stage {stage}", note, lines, unit=""))
    return [chart for chart in charts if chart]


def _lines(known: Iterable[tuple[int, Progress]], stage: int) -> dict[str, list[Point]]:
    """Return the points of a stage's criteria, up to the draw that left the stage."""
    lines: dict[str, list[Point]] = {}
    for number, progress in known:
        left = progress.because if progress.move == "moves_on" else []
        for one in (*left, *progress.criteria):
            if one.stage == stage and one.value is not None:
                point = Point(number, one.value, f"draw {number}: {criterion_words(one)}")
                lines.setdefault(_name(one), []).append(point)
    return lines


def course_words(progress: Progress) -> str:
    """Describe the stage, the draw in which it began, and the reason."""
    since = f"stage {progress.stage} since draw {progress.since}"
    over = "its criteria hold, so the course has finished" if progress.is_over else ""
    because = _joined(progress.because) if progress.move == "moves_on" else ""
    return ": ".join(filter(None, [since, MOVES[progress.move], because, over, _joined(progress.criteria)]))


def criterion_words(one: Measured) -> str:
    """Describe the value of a criterion and its marks."""
    marks = {"at least": one.at_least, "at most": one.at_most}
    bounds = " and ".join(f"{words} {mark:g}" for words, mark in marks.items() if mark is not None)
    if one.value is None:
        return f"{_name(one)} not known yet ({bounds}; {one.judged:,} judged episodes)"
    return f"{_name(one)} {one.value:.3g} ({bounds}; {one.episodes:,} episodes)"


def _joined(criteria: Sequence[Measured]) -> str:
    return ", ".join(map(criterion_words, criteria))


def _name(one: Measured) -> str:
    return one.component if one.measure == "mean" else one.measure


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a sampler's plan. ``about`` is the summary in its plug-in's docstring."""

    name: str
    kind: str
    about: str
    parameters: str


@dataclass(frozen=True, kw_only=True)
class DrawnRow:
    """One task of a draw."""

    task: Task | None
    item: Mapping[str, Any]

    @property
    def why(self) -> Mapping[str, Any]:
        return self.item["why"]  # type: ignore[no-any-return]

    @property
    def reason(self) -> str:
        words = [self.why["reason"], self.why.get("because", "")]
        return ": ".join(word.replace("_", " ") for word in words if word)


class SamplersPage:
    """The page's contents. ``?sampler=`` chooses a sampler of the run, and ``?draw=`` a draw of that sampler.

    By default they are the newest sampler and its last draw."""

    def __init__(self, run_id: int, parameters: QueryDict) -> None:
        self.run: Run = selectors.run_get(run_id)
        self.samplers = list(Sampler.objects.filter(run=run_id).order_by("-pk")[:SAMPLERS_SHOWN])
        self.sampler = self._chosen(parameters.get("sampler", ""))
        self._number = parameters.get("draw", "")

    def _chosen(self, number: str) -> Sampler | None:
        """Return the chosen sampler, even if it is too old to be listed."""
        if not number:
            return self.samplers[0] if self.samplers else None
        mine = Sampler.objects.filter(run=self.run)
        sampler = mine.filter(pk=number).first() if _is_number(number) else None
        if sampler is None:
            raise Http404(f"This run has no sampler {number[:20]}.")
        return sampler

    @cached_property
    def parts(self) -> list[Part]:
        plan: dict[str, Any] = self.sampler.plan if self.sampler else {}
        return [_part(name, dict(plan[name])) for name in PARTS if name in plan]

    @cached_property
    def schedule(self) -> str:
        """The schedule of difficulty in words, empty if there is none."""
        schedule = self.sampler.plan["difficulty"] if self.sampler else None
        return _parameters(_order(schedule, DifficultySchedule)) if schedule else ""

    @cached_property
    def filters(self) -> str:
        """The filters that are set. For named tasks it gives only their number."""
        filters: dict[str, Any] = dict(self.sampler.filters) if self.sampler else {}
        if filters.get("ids"):
            filters["ids"] = f"{len(filters['ids']):,} named"
        return _parameters({name: value for name, value in filters.items() if value})

    @cached_property
    def charts(self) -> list[Chart]:
        draws = SamplerDraw.objects.filter(sampler=self.sampler).order_by("-number")
        shown = list(draws.values_list("number", "summary")[:DRAWS_CHARTED])[::-1]
        return [*course_charts(shown), *charts_of(shown)]

    @cached_property
    def draw(self) -> SamplerDraw | None:
        """The chosen draw. Raises ``Http404`` if the sampler has no draw with that number."""
        draws = SamplerDraw.objects.filter(sampler=self.sampler)
        if not self._number:
            return draws.order_by("-number").first()
        draw = draws.filter(number=self._number).first() if _is_number(self._number) else None
        if draw is None:
            raise Http404(f"This sampler has no draw {self._number}.")
        return draw

    @cached_property
    def rows(self) -> list[DrawnRow]:
        items: Sequence[Mapping[str, Any]] = self.draw.items if self.draw else []
        tasks = Task.objects.only("pk", "benchmark", "split", "key").in_bulk([item["task"] for item in items])
        return [DrawnRow(task=tasks.get(item["task"]), item=item) for item in items]

    @property
    def tasks(self) -> int:
        return len({row.item["task"] for row in self.rows})

    @cached_property
    def drawing(self) -> Drawing | None:
        strategy = self.sampler.plan["strategy"] if self.sampler else {}
        band = (strategy["low"], strategy["high"]) if {"low", "high"} <= strategy.keys() else None
        return posteriors_draw([row.item for row in self.rows], band=band)

    @cached_property
    def course(self) -> str:
        """The stage of the draw in words, empty if the plan has no stages."""
        progress = progress_of(self.draw.summary) if self.draw else None
        return course_words(progress) if progress else ""

    @property
    def earlier(self) -> int | None:
        return self.draw.number - 1 if self.draw and self.draw.number > 1 else None

    @property
    def later(self) -> int | None:
        is_last = self.draw is None or self.sampler is None or self.draw.number >= self.sampler.draws
        return None if is_last or self.draw is None else self.draw.number + 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _part(name: str, parameters: dict[str, Any]) -> Part:
    kind = parameters.pop("kind")
    plugin = PARTS[name].get(kind)
    about = (plugin.__doc__ or "").split("\n\n")[0] if plugin else ""
    return Part(
        name=name.title(),
        kind=kind.replace("_", " "),
        about=" ".join(about.replace("`", "").split()),
        parameters=_parameters(_order(parameters, plugin) if plugin else parameters),
    )


def _order(values: Mapping[str, Any], struct: type[Struct]) -> dict[str, Any]:
    """Put the values into the order of the struct's fields, because Postgres orders them by length."""
    return {name: values[name] for name in struct.__struct_fields__ if name in values}


def _parameters(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_text(value)}" for name, value in values.items())


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return f"({_parameters(value)})"
    if isinstance(value, list):
        return " and ".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value).lower() if value is True else str(value)


@lab_page
def sampler_list(request: LabRequest, run_id: int) -> HttpResponse:
    """Show the run's samplers, and one of them in full."""
    page = SamplersPage(run_id, request.GET)
    return render(request, "lab/samplers/samplers.html", {"here": "runs", "page": page})
