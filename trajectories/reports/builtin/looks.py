"""The tables of effects of page looks: by factor, and by look with the most harmful first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from core.database.sql import Statement
from palaestra.protocol.arms import ARMS, PAGE_ARMS
from palaestra.protocol.looks import NEUTRAL
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.charts.forest import POINTS_OF_ACCURACY, Forest
from trajectories.reports.estimators import looks as estimator
from trajectories.reports.estimators.answers import NO_LOOK
from trajectories.reports.ladder import ArmKey
from trajectories.reports.registry import Chart, report_table
from trajectories.reports.tables import (
    BY_ARM,
    COUNT,
    PERCENT,
    POINTS,
    Column,
    Row,
    episodes_link,
    interval_columns,
    number,
    scaled,
    with_ends,
)

READ = Statement(__file__, "looks")
Look = Mapping[str, estimator.Value]
LOOKS_MIN = 2
FACTORS = (
    *BY_ARM,
    Column("factor", "Factor"),
    Column("level", "Value"),
    Column("looks", "Looks", COUNT),
    Column("episodes", "Episodes", COUNT),
    Column("mean", "Accuracy", PERCENT),
    *interval_columns("effect", "Effect", POINTS),
    Column("p", "p"),
    Column("p_holm", "p, all factors"),
    Column("note", "Note"),
)
LOOKS = (
    *BY_ARM,
    Column("look", "Look"),
    Column("episodes", "Episodes", COUNT),
    Column("mean", "Accuracy", PERCENT),
    *interval_columns("effect", "Effect", POINTS),
    Column("note", "Note"),
)
FACTOR_NOTES = (
    (
        "Accuracy is the plain mean of the answers. An effect is the difference from the factor's neutral "
        "value, in a mixed model with random intercepts of item and look, one factor at a time."
    ),
    (
        "One in twenty factors without any effect has p below 0.05. The last p is adjusted for all factors "
        "of an arm together (Holm)."
    ),
)
LOOK_NOTE = (
    "An effect is the difference from all looks of the same items, with its error over items. The extremes "
    "of many looks are partly due to chance, so play them again before you call one harmful."
)


def _pages(analysis: Analysis) -> Iterator[tuple[ArmKey, Mapping[int, Look]]]:
    """Yield the page arms that were played in several looks, with these looks by code."""
    stored: dict[str, Look] | None = None
    for key in analysis.arms:
        if not ARMS[key.arm].has_page or analysis.mixture(key):
            continue
        codes = np.unique(analysis.data.answers(key, analysis.items).look)
        codes = codes[codes != NO_LOOK]
        if len(codes) < LOOKS_MIN:
            continue
        stored = stored if stored is not None else looks_stored(analysis)
        yield key, {int(code): stored[analysis.data.looks[code]] for code in codes}


def _has_looks(analysis: Analysis) -> bool:
    return bool(analysis.once(_pages))


@report_table(
    "look_factors",
    "Effects of look factors",
    100,
    columns=FACTORS,
    notes=lambda _analyses, _rows: FACTOR_NOTES,
    chart=Chart(
        draw=Forest(
            value="effect",
            group="{benchmark}, {arm}",
            label=("factor", "level"),
            unit=POINTS_OF_ACCURACY,
            ends=("harmful", "helpful"),
        ).draw,
        caption="Each value compared with the factor's neutral one. Right of zero: accuracy is higher.",
    ),
    when=_has_looks,
)
def factor_rows(analysis: Analysis) -> list[Row]:
    return [row for key, looks in analysis.once(_pages) for row in _factor_rows(analysis, key, looks)]


@report_table(
    "looks",
    "Looks, the most harmful first",
    101,
    columns=LOOKS,
    notes=lambda _analyses, _rows: [LOOK_NOTE],
    is_reference=True,
    when=_has_looks,
)
def look_rows(analysis: Analysis) -> list[Row]:
    return [row for key, looks in analysis.once(_pages) for row in _look_rows(analysis, key, looks)]


def looks_stored(analysis: Analysis) -> dict[str, Look]:
    """Return every look in which the benchmark was played, by its hash."""
    rows = READ.rows(runs=list(analysis.runs), paged=list(PAGE_ARMS), benchmark=analysis.benchmark)
    return {digest: json.loads(text) for digest, text in rows}


def _factor_rows(analysis: Analysis, key: ArmKey, looks: Mapping[int, Look]) -> list[Row]:
    episodes = analysis.data.episodes(key, analysis.items)
    levels = estimator.factor_levels(episodes.answers, looks, references=NEUTRAL, alpha=analysis.alpha)
    tested = [level for level in levels if level.effect.p is not None]
    together = estimator.holm([level.effect.p for level in tested if level.effect.p is not None])
    p_holm = {(level.factor, level.value): p for level, p in zip(tested, together, strict=True)}
    return [
        {
            **analysis.arm_cells(key),
            "factor": level.factor,
            "level": str(level.value),
            "looks": level.looks,
            "episodes": level.answers,
            "mean": scaled(level.mean),
            **with_ends("effect", level.effect),
            "p": number(level.effect.p),
            "p_holm": number(p_holm.get((level.factor, level.value))),
            "note": level.effect.reason,
            "links": {"episodes": episodes_link(_of_level(episodes, looks, level).episode.tolist())},
        }
        for level in levels
    ]


def _of_level(episodes: Episodes, looks: Mapping[int, Look], level: estimator.Level) -> Episodes:
    codes = [code for code, look in looks.items() if look.get(level.factor) == level.value]
    return episodes.where(np.isin(episodes.look, codes))


def _look_rows(analysis: Analysis, key: ArmKey, looks: Mapping[int, Look]) -> Iterator[Row]:
    episodes = analysis.data.episodes(key, analysis.items)
    judged = episodes.where((episodes.outcome >= 0) & np.isin(episodes.look, list(looks)))
    effects = estimator.look_effects(judged.answers, alpha=analysis.alpha)
    names = {0: "most harmful", len(effects) - 1: "least harmful"}
    for rank, effect in enumerate(effects):
        here = judged.where(judged.look == effect.look)
        row: dict[str, Any] = {
            **analysis.arm_cells(key),
            "look": look_words(looks[effect.look]),
            "digest": analysis.data.looks[effect.look],
            "episodes": effect.answers,
            "mean": scaled(effect.mean),
            **with_ends("effect", effect.effect),
            # The page shows a wrong episode of the look, if there is one.
            "episode": int(here.episode[np.argmin(here.outcome)]),
            "rank": names.get(rank, ""),
            "note": "; ".join(filter(None, (names.get(rank, ""), effect.effect.reason))),
        }
        links = {"look": f"/episodes/{row['episode']}/", "episodes": episodes_link(here.episode.tolist())}
        yield {**row, "links": links}


def look_words(look: Look) -> str:
    """Describe a look by its non-neutral values."""
    named = [f"{name} {value}" for name, value in look.items() if value != NEUTRAL.get(name)]
    return ", ".join(named).replace("_", " ") or "neutral"
