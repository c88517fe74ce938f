"""Splits for training. All others are for evaluation: of an unknown name the safe answer is no."""

from __future__ import annotations

import re

# Starter tasks are samples, and of generated ones there are always more: nothing is measured on them.
_TRAINING = r"starter|generated|(?:.*[-_])?train(?:ing)?"
# The same for Postgres.
TRAINING_SQL = f"^(?:{_TRAINING})$"


def is_training(split: str) -> bool:
    return re.fullmatch(_TRAINING, split) is not None
