"""The order in which one episode shows its choices. Labels stay where they are; the texts move below them.

Sampled again and again in one order, a policy could learn the place of an answer instead of the answer. The
gold is moved to the label that the episode showed, so that no verifier knows of any of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.draws import Draws


def is_movable(payload: Mapping[str, Any]) -> bool:
    """Whether the choices may change places: not when one of them speaks of another."""
    return payload.get("order") == "free" and len(payload.get("choices", ())) > 1


def order_draw(count: int, *, seed: int) -> list[int]:
    """A permutation: place i shows choice ``order[i]``. The same on every machine."""
    return Draws("choices-v1", seed).shuffled(range(count))


def choices_move(choices: Sequence[Mapping[str, Any]], order: Sequence[int]) -> list[dict[str, Any]]:
    """The choices as shown. An order of other choices, which the task had once, moves none."""
    if len(order) != len(choices):
        return [dict(choice) for choice in choices]
    return [{**choices[source], "label": choices[place]["label"]} for place, source in enumerate(order)]


def label_move(label: str, *, labels: Sequence[str], order: Sequence[int]) -> str:
    """The label under which the choice of ``label`` is shown; another text stays as it is."""
    if label not in labels or len(order) != len(labels):
        return label
    return labels[order.index(labels.index(label))]
