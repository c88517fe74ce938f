"""Order of an episode's choices: labels keep their positions, and the texts are permuted.

With a fixed order, a policy that samples a task repeatedly could learn the position of the answer instead of
the answer. The gold is translated to the label that the episode showed, so verifiers need not know the order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.draws import Draws


def is_movable(payload: Mapping[str, Any]) -> bool:
    """Return whether the choices may be permuted. They may not if one refers to another."""
    return payload.get("order") == "free" and len(payload.get("choices", ())) > 1


def order_draw(count: int, *, seed: int) -> list[int]:
    """Draw a permutation that is the same on every machine; position i shows choice ``order[i]``."""
    return Draws("choices-v1", seed).shuffled(range(count))


def choices_move(choices: Sequence[Mapping[str, Any]], order: Sequence[int]) -> list[dict[str, Any]]:
    """Permute the texts under their labels. An order made for an earlier set of choices is ignored."""
    if len(order) != len(choices):
        return [dict(choice) for choice in choices]
    return [{**choices[source], "label": choices[place]["label"]} for place, source in enumerate(order)]


def label_move(label: str, *, labels: Sequence[str], order: Sequence[int]) -> str:
    """Return the label under which the choice ``label`` is shown. Any other text is returned unchanged."""
    if label not in labels or len(order) != len(labels):
        return label
    return labels[order.index(labels.index(label))]
