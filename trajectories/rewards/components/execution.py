"""The component for actions that had an effect."""

from __future__ import annotations

from trajectories.actions import types as actions
from trajectories.actions.rules import nothing_expected
from trajectories.rewards.registry import component
from trajectories.rewards.types import Reading, ReadStep, Values

NO_EFFECT = "no_effect"


@component(
    "executed",
    title="Executed",
    description=(
        "1 for an action that was carried out and had an effect, 0 for one that failed, was refused or had "
        "none. Actions that are not meant to have an effect, and completions without an action, have no "
        "value. For the last step the harness's report counts, because its effect may only be visible after "
        "the end."
    ),
    unit="share of actions",
    reads="results of actions and the action check",
    level="step",
    version=2,
)
def executed(reading: Reading) -> Values | None:
    acting = [step for step in reading.own_steps if step.is_readable and _is_expected_to_act(step)]
    last = max((step.index for step in reading.steps), default=0)
    return Values.mean_of({step.index: float(_is_done(step, is_last=step.index == last)) for step in acting})


def _is_expected_to_act(step: ReadStep) -> bool:
    kind = actions.find(step.type)
    return kind is None or kind.rule is not nothing_expected


def _is_done(step: ReadStep, *, is_last: bool) -> bool:
    return step.result == "ok" and (is_last or step.check != NO_EFFECT)
