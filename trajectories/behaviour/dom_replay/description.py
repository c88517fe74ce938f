"""Descriptions of a replay: its moment, and what is missing from the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.tables import toml_load
from trajectories.behaviour.dom_replay.placement import Moment
from trajectories.behaviour.dom_replay.scenes import NoScene, Scene
from trajectories.record.capture.chunks import Kind, Problem

_TEXTS = toml_load(Path(__file__).with_suffix(".toml"), dict[str, Any])
REASONS: dict[str, str] = _TEXTS["reasons"]
PROBLEMS: dict[Kind, tuple[str, str]] = _TEXTS["problems"]
SECOND_MS = 1000


def losses(scene: Scene | NoScene) -> list[str]:
    """Sentences about what is missing from the recording, in descending order; empty if nothing is."""
    sentences = _missing(scene.problems)
    if isinstance(scene, Scene) and scene.refused:
        sentences.append(_counted(scene.refused, "1 event cannot be read", "{} events cannot be read"))
    if scene.is_capped:
        sentences.append("the episode's recording reached its limit, and nothing after it was stored")
    return [f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences]


def moment_facts(moment: Moment) -> list[str]:
    """Short facts about a moment, to be shown in one line."""
    facts = [f"Page load {moment.number} of {moment.loads}"]
    if moment.before_action_ms is not None:
        facts.append(f"{duration(moment.before_action_ms)} before the action")
    if moment.still_ms >= 1:
        facts.append(f"last change {duration(moment.still_ms)} earlier")
    facts.append("placed by time" if moment.basis == "time" else "placed by step numbers")
    return facts


def duration(ms: float) -> str:
    return f"{ms / SECOND_MS:.1f} s" if ms >= SECOND_MS else f"{ms:.0f} ms"


def _missing(problems: Sequence[Problem]) -> list[str]:
    counts: Counter[Kind] = Counter()
    for problem in problems:
        counts[problem.problem] += problem.last - problem.first + 1
    return [_counted(count, *PROBLEMS[kind]) for kind, count in counts.most_common()]


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else many.format(f"{count:,}")
