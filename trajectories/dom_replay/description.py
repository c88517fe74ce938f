"""Descriptions of a replay: its moment, and what is missing from the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trajectories.capture.chunks import Kind, Problem
from trajectories.dom_replay.placement import Moment
from trajectories.dom_replay.scenes import NoScene, Scene

REASONS: dict[str, str] = {
    "nothing": "Nothing of this episode's pages was recorded.",
    "no_time": "Neither a time nor a step number says where in the recording this step is.",
    "too_early": "The recording begins after this step.",
    "lost": "The page that this step saw was not recorded: nothing of it came.",
    "no_snapshot": "The beginning of this page's recording is missing: without it nothing can be rebuilt.",
    "too_large": "The recording of this page is too large to be replayed here.",
}
PROBLEMS: dict[Kind, tuple[str, str]] = {
    "lost": ("1 chunk never came", "{} chunks never came"),
    "missing": ("the bytes of 1 chunk are gone", "the bytes of {} chunks are gone"),
    "damaged": ("1 chunk is damaged", "{} chunks are damaged"),
    "too_large": ("1 chunk is too large to be read", "{} chunks are too large to be read"),
    "past_limit": ("1 chunk is past the limit of a page", "{} chunks are past the limit of a page"),
}
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
