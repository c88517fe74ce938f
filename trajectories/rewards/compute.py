"""The components of an episode by all rules: pure functions of the reading."""

from __future__ import annotations

from collections.abc import Mapping

from palaestra.protocol.outcomes import VOID
from trajectories.rewards.registry import COMPONENTS
from trajectories.rewards.types import Reading, Values


def components_of(reading: Reading) -> dict[str, Values]:
    """Compute all values by name; none for a void episode."""
    if reading.outcome == VOID:
        return {}
    own = {step.index for step in reading.own_steps}
    computed: dict[str, Values] = {}
    for name in COMPONENTS:
        one = COMPONENTS.get(name)
        if one.compute is not None:
            computed |= {name: _of_own(values, own) for name, values in one.compute(reading).items()}
    return computed


def _of_own(values: Values, own: set[int]) -> Values:
    """Drop the steps of a person or of a fork's parent, to whom an event may belong."""
    return Values(values.episode, {step: value for step, value in values.steps.items() if step in own})


def rows_of(
    computed: Mapping[str, Values],
) -> tuple[dict[str, float | None], dict[str, dict[int, float | None]]]:
    """Return the two stored columns: values of the episode, and of its steps if there are any."""
    of_steps = {name: dict(values.steps) for name, values in computed.items() if values.steps}
    return {name: values.episode for name, values in computed.items()}, of_steps
