"""The table of behaviour measures, each declared once with its total over an episode.

``models/facts.py`` defines their columns and types; the API, the exports and the pages read this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trajectories.behaviour.facts.behaviour import (
    Trail,
    Turn,
    formula_count,
    number_count,
    restated_share,
    says_check,
    word_count,
)
from trajectories.models import EpisodeFacts

Measured = Mapping[str, Any]
Total = Callable[[Sequence[Any], Sequence[Any]], float | None]


def mean(values: Sequence[Any], _words: Sequence[Any]) -> float | None:
    """Return the mean over the steps that have a value."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def mean_by_words(values: Sequence[Any], words: Sequence[Any]) -> float | None:
    """Return the mean over the steps that have a value, weighted by the words of their thoughts."""
    known = [(value, count) for value, count in zip(values, words, strict=True) if value is not None]
    total = sum(count for _, count in known)
    return sum(value * count for value, count in known) / total if total else None


def step_count(values: Sequence[Any], _words: Sequence[Any]) -> int:
    """Count the steps that have the measured property, which are those whose value is not None or False."""
    return sum(value is not None and value is not False for value in values)


def thought_count(values: Sequence[Any], words: Sequence[Any]) -> int | None:
    """Count the steps whose thought has the measured property; return None if every thought is hidden."""
    return None if values and all(value is None for value in values) else step_count(values, words)


TOTAL_WORDS: dict[Total, str] = {
    mean: "Mean over the steps",
    mean_by_words: "Mean over the words of all thoughts",
    step_count: "How many steps",
    thought_count: "How many steps",
}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure, stored in ``column`` of ``StepFacts`` and in ``total_column`` of ``EpisodeFacts``.

    ``explanation`` describes the measure in the API. ``label`` names it on a step's page, and ``title`` names
    its total on a run's page, which shows the measures of the thought first; a page leaves out a measure
    without a name. A measure about the thought has no value where the model hid its thought.
    """

    column: str
    compute: Callable[[Turn, Trail], Any]
    explanation: str
    total: Total
    total_column: str
    about: Literal["thought", "step"] = "thought"
    label: str = ""
    title: str = ""
    is_share: bool = False
    is_reported: bool = True


MEASURES = (
    Measure(
        column="thought_chars",
        compute=lambda turn, _: len(turn.thought.strip()),
        explanation="Characters of the thought, without surrounding whitespace.",
        total=mean,
        total_column="thought_chars",
    ),
    Measure(
        column="thought_words",
        compute=lambda turn, _: word_count(turn.thought),
        explanation="Words of the thought, where a word is a run of letters.",
        total=mean,
        total_column="thought_words",
        label="Words in the thought",
        title="Words per thought",
    ),
    Measure(
        column="numbers",
        compute=lambda turn, _: number_count(turn.thought),
        explanation="Numerals in the thought.",
        total=mean,
        total_column="numbers",
        label="Numbers in it",
        title="Numbers per thought",
    ),
    Measure(
        column="formulas",
        compute=lambda turn, _: formula_count(turn.thought),
        explanation="Formulas in the thought, in TeX or plain text.",
        total=mean,
        total_column="formulas",
        label="Formulas in it",
        title="Formulas per thought",
    ),
    Measure(
        column="restates",
        compute=lambda turn, _: restated_share(
            turn.thought, observation=turn.observation, action=turn.action
        ),
        explanation="Share of the thought's words that restate the page or the action, 0 to 1.",
        total=mean_by_words,
        total_column="restates",
        label="Repeats the page",
        title="Share of thought that restates page or action",
        is_share=True,
    ),
    Measure(
        column="is_page_change",
        compute=lambda _, trail: trail.is_page_change,
        explanation="The page differs from that of the previous step.",
        total=step_count,
        total_column="page_changes",
        about="step",
        label="New page",
        is_reported=False,
    ),
    Measure(
        column="is_backtrack",
        compute=lambda _, trail: trail.is_backtrack,
        explanation="The step goes back or returns to a page seen earlier.",
        total=step_count,
        total_column="backtracks",
        about="step",
        label="Goes back",
        title="Backtracks",
    ),
    Measure(
        column="repeats",
        compute=lambda _, trail: trail.repeats,
        explanation="The first earlier step with the same place and action, if there is one.",
        total=step_count,
        total_column="loops",
        about="step",
        title="Repeated steps",
    ),
    Measure(
        column="checks_before_submit",
        compute=lambda turn, trail: (
            (trail.submitted_in is None or turn.index <= trail.submitted_in) and says_check(turn.thought)
        ),
        explanation="The thought mentions verification, and the step is no later than the answer.",
        total=thought_count,
        total_column="checks",
        label="Mentions verification",
        title="Steps mentioning verification",
    ),
    Measure(
        column="is_thought_hidden",
        compute=lambda turn, _: turn.is_thought_hidden,
        explanation="The model reasoned, but its endpoint did not disclose the thought.",
        total=step_count,
        total_column="hidden_thoughts",
        about="step",
        title="Steps with a hidden thought",
    ),
    Measure(
        column="is_invalid",
        compute=lambda turn, _: turn.result == "invalid",
        explanation="The harness could not read the action.",
        total=step_count,
        total_column="invalid_actions",
        about="step",
        title="Invalid actions",
    ),
)
_TOTALS = {measure.total_column: measure for measure in MEASURES}
# The explanations of the totals, in the order of the columns of ``EpisodeFacts``.
TOTALS = {
    field.name: f"{TOTAL_WORDS[_TOTALS[field.name].total]}: {_TOTALS[field.name].explanation}"
    for field in EpisodeFacts._meta.concrete_fields
    if field.name in _TOTALS
}


def turns_measure(turns: Sequence[Turn], *, submitted_in: int | None) -> list[Measured]:
    """Return the measured columns and the ``place`` of each step of an episode, in step order."""
    trail = Trail(submitted_in=submitted_in)
    measured: list[Measured] = []
    for turn in turns:
        trail.advance(turn)
        values = {measure.column: _measure(measure, turn, trail) for measure in MEASURES}
        measured.append({"place": trail.place, **values})
    return measured


def _measure(measure: Measure, turn: Turn, trail: Trail) -> Any:
    if measure.about == "thought" and turn.is_thought_hidden:
        return None
    return measure.compute(turn, trail)


def totals_of(measured: Sequence[Measured]) -> dict[str, float | None]:
    """Return an episode's total columns, computed from the columns of its steps."""
    words = [step["thought_words"] for step in measured]
    return {
        measure.total_column: measure.total([step[measure.column] for step in measured], words)
        for measure in MEASURES
    }
