"""The milestone of having the right choice marked when the episode ends, submitted or not."""

from __future__ import annotations

from palaestra.protocol.arms import ARMS
from tasks_app import kinds
from tasks_app.choices import label_move
from trajectories.rewards.registry import milestone
from trajectories.rewards.types import Reading, Values


@milestone(
    "chose_right",
    description="The choice that was marked last on the page is right, whether or not it was submitted.",
    kinds=frozenset({kinds.CHOICE}),
)
def chose_right(reading: Reading) -> Values | None:
    """Compute the milestone from the last mark only, so that marking all choices in turn is no better than a
    guess.

    A reloaded page has nothing marked. If the episode's pages were not recorded, the marks are unknown.
    """
    if not ARMS[reading.arm].has_page or reading.recording == "off" or reading.gold is None:
        return None
    marked = None
    for mark in reading.marks:
        if mark.label is None or marked is None or mark.label != marked.label:
            marked = mark
    if marked is None or marked.label not in _right_labels(reading, reading.gold):
        return Values(0.0)
    return Values(1.0, {} if marked.step is None else {marked.step: 1.0})


def _right_labels(reading: Reading, gold: str) -> set[str]:
    """Return the labels that the right choices had in the episode."""
    labels = [choice["label"] for choice in reading.payload["choices"]]
    order = (reading.variation or {}).get("order", range(len(labels)))
    return {label_move(label, labels=labels, order=order) for label in (gold, *reading.accepted)}
