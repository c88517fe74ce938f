"""Reading of the inputs of learned rewards, and computation of scores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec.structs import replace
from scipy.special import expit

from core.database.sql import Statement
from trajectories.behaviour.facts.compute import facts_of
from trajectories.behaviour.facts.source import sources_read
from trajectories.rewards.learned.features import FACTS, Floats, compute_features
from trajectories.rewards.learned.types import Parameters, Recorded

# Of each episode, the last completions are read, and of each completion the beginning.
STEPS_MAX = 200
TEXT_CHARS = 10_000

READ = Statement(
    __file__, "recorded", is_hot=True, facts=", ".join(f"'{column}', f.{column}" for column in FACTS)
)
_decode = msgspec.json.Decoder(Recorded).decode
# Each feature's contribution and their sum are bounded, so that no text, however outlandish, can buy a score.
FEATURE_MAX = 3.0
LOGIT_MAX = 30.0


def read_recorded(episode_ids: Sequence[int]) -> list[Recorded]:
    """Read the ended ones of these episodes, sorted by id. Facts that are not stored yet are computed."""
    rows = READ.rows(ids=list(episode_ids), chars=TEXT_CHARS, steps=STEPS_MAX)
    read = [_decode(row[0]) for row in rows]
    missing = [one.episode for one in read if one.facts is None]
    summaries = {one.episode: facts_of(one).summary for one in sources_read(missing)} if missing else {}
    return [
        one
        if one.facts is not None
        else replace(one, facts={column: summaries[one.episode][column] for column in FACTS})
        for one in read
    ]


def standardise(features: Floats, means: Floats, scales: Floats) -> Floats:
    return np.clip((features - means) / scales, -FEATURE_MAX, FEATURE_MAX)


def scores_of(parameters: Parameters, recorded: Sequence[Recorded]) -> Floats:
    """Score the episodes; those without an answer get 0, since they did not succeed."""
    features = compute_features(recorded, parameters.words)
    inputs = standardise(features, np.array(parameters.means), np.array(parameters.scales))
    logits = inputs @ np.array(parameters.weights) + parameters.intercept
    calibrated = np.clip(parameters.slope * logits + parameters.offset, -LOGIT_MAX, LOGIT_MAX)
    return np.where([one.has_answer for one in recorded], expit(calibrated), 0.0)
