"""The score of an episode: a calibrated probability that it succeeded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from trajectories.rewards.learned.features import Floats, features_of
from trajectories.rewards.learned.types import Parameters, Recorded

# What one feature can add is bounded, and so is the whole: no text is outlandish enough to buy a score.
FEATURE_MAX = 3.0
LOGIT_MAX = 30.0


def standardised(features: Floats, means: Floats, scales: Floats) -> Floats:
    return np.clip((features - means) / scales, -FEATURE_MAX, FEATURE_MAX)


def scores_of(parameters: Parameters, recorded: Sequence[Recorded]) -> Floats:
    """Score episodes with an answer; the others get 0, since they did not succeed."""
    features = features_of(recorded, parameters.words)
    inputs = standardised(features, np.array(parameters.means), np.array(parameters.scales))
    logits = inputs @ np.array(parameters.weights) + parameters.intercept
    calibrated = np.clip(parameters.slope * logits + parameters.offset, -LOGIT_MAX, LOGIT_MAX)
    return np.where([one.has_answer for one in recorded], expit(calibrated), 0.0)
