"""The splits for training. To be safe, all others are for evaluation, including those of unknown name."""

from __future__ import annotations

import re

# Starter tasks are mere samples, and generated tasks never run out, so nothing is measured on either.
_TRAINING = r"starter|generated|(?:.*[-_])?train(?:ing)?"
# The same pattern, to be used in SQL.
TRAINING_SQL = f"^(?:{_TRAINING})$"


def is_training(split: str) -> bool:
    """Return whether models may be trained on the split's tasks."""
    return re.fullmatch(_TRAINING, split) is not None
