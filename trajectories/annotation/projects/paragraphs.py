"""Long thoughts are labelled by paragraph."""

from __future__ import annotations

from trajectories.behaviour.thoughts.substeps import substep_spans

WORDS_MAX = 150


def paragraphs(thought: str) -> list[tuple[int, int]]:
    """Return where the units of a thought begin and end: its substeps if it is long, else all of it."""
    return substep_spans(thought) if len(thought.split()) > WORDS_MAX else [(0, len(thought))]
