"""Splits for training. All others are for evaluation: an unknown name counts as one of those, to be safe."""

from __future__ import annotations

import re

# Starter tasks are samples, and generated ones never run out: nothing is measured on either.
_TRAINING = r"starter|generated|(?:.*[-_])?train(?:ing)?"
# The same pattern for Postgres.
TRAINING_SQL = f"^(?:{_TRAINING})$"


def is_training(split: str) -> bool:
    """Return whether tasks of the split may be trained on."""
    return re.fullmatch(_TRAINING, split) is not None
