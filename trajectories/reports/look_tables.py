"""Effects of the looks of pages: by factor, and the looks that harm most and least."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from core.sql import Statement
from palaestra.protocol.arms import ARMS, PAGE_ARMS
from palaestra.protocol.looks import NEUTRAL
from trajectories.reports.analysis import Analysis
from trajectories.reports.arm_data import Episodes
from trajectories.reports.estimators import looks as estimator
from trajectories.reports.estimators.answers import NO_LOOK
from trajectories.reports.ladder import ArmKey
from trajectories.reports.tables import (
    COUNT,
    PERCENT,
    POINTS,
    Column,
    Row,
    Table,
    episodes_link,
    number,
    scaled,
    with_ends,
)

READ = Statement(__file__, "looks")
Look = Mapping[str, estimator.Value]
LOOKS_MIN = 2
FACTORS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    Column("factor", "Factor"),
    Column("level", "Value"),
    Column("looks", "Looks", COUNT),
    Column("episodes", "Episodes", COUNT),
    Column("mean", "Accuracy", PERCENT),
    Column("effect", "Effect", POINTS),
    Column("low", "Low", POINTS),
    Column("high", "High", POINTS),
    Column("p", "p"),
    Column("p_holm", "p, all factors"),
    Column("note", "Note"),
)
LOOKS = (
    Column("benchmark", "Benchmark"),
    Column("arm", "Arm"),
    Column("look", "Look"),
    Column("episodes", "Episodes", COUNT),
    Column("mean", "Accuracy", PERCENT),
    Column("effect", "Effect", POINTS),
    Column("low", "Low", POINTS),
    Column("high", "High", POINTS),
    Column("note", "Note"),
)
FACTOR_NOTES = (
    (
        "Accuracy is the plain mean of the answers. An effect is against the factor's neutral value, in a "
        "mixed model with random intercepts of item and look, one factor at a time."
    ),
    (
        "Of factors without any effect, one in twenty has p below 0.05; the last p holds for all factors of "
        "an arm together (Holm)."
    ),
)
LOOK_NOTE = (
    "An effect is against all looks of the same items, with its error over items. The extremes of many looks "
    "are extreme by chance too: play them again before you name one harmful."
)


def look_tables(analyses: Sequence[Analysis]) -> list[Table]:
    """Return the tables; None if no page has several looks."""
    parts = [(analysis, key, looks) for analysis in analyses for key, looks in _paged(analysis)]
    if not parts:
        return []
    return [
        Table(
            id="look_factors",
            title="Effects of look factors",
            columns=FACTORS,
            rows=[row for part in parts for row in _factor_rows(*part)],
            notes=FACTOR_NOTES,
        ),
        Table(
            id="looks",
            title="Looks, the most harmful first",
            columns=LOOKS,
            rows=[row for part in parts for row in _look_rows(*part)],
            notes=[LOOK_NOTE],
        ),
    ]


def _paged(analysis: Analysis) -> Iterator[tuple[ArmKey, Mapping[int, Look]]]:
    """The arms whose pages have several looks, with these by their codes."""
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


def looks_stored(analysis: Analysis) -> dict[str, Look]:
    """Return every look of the benchmark by its hash."""
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
            "benchmark": analysis.benchmark,
            "arm": key.id,
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
    for place, one in enumerate(effects):
        here = judged.where(judged.look == one.look)
        row: dict[str, Any] = {
            "benchmark": analysis.benchmark,
            "arm": key.id,
            "look": look_words(looks[one.look]),
            "digest": analysis.data.looks[one.look],
            "episodes": one.answers,
            "mean": scaled(one.mean),
            **with_ends("effect", one.effect),
            # An episode to show: a wrong one where there is one.
            "episode": int(here.episode[np.argmin(here.outcome)]),
            "rank": names.get(place, ""),
            "note": "; ".join(filter(None, (names.get(place, ""), one.effect.reason))),
        }
        links = {"look": f"/episodes/{row['episode']}/", "episodes": episodes_link(here.episode.tolist())}
        yield {**row, "links": links}


def look_words(look: Look) -> str:
    """Describe a look by its non-neutral values."""
    named = [f"{name} {value}" for name, value in look.items() if value != NEUTRAL.get(name)]
    return ", ".join(named).replace("_", " ") or "neutral"
