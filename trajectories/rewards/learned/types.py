"""Inputs, parameters and cards of learned rewards."""

from __future__ import annotations

from msgspec import Struct

Facts = dict[str, float | None]


class Recorded(Struct, frozen=True, kw_only=True):
    """The parts of an episode that learned rewards read, without gold, verdict or the answer's text.

    ``texts`` are the completions of the policy's own steps, in order. ``facts`` are columns of the episode's
    facts, and None before they are stored.
    """

    episode: int
    item: int
    project: str
    has_answer: bool
    texts: list[str]
    facts: Facts | None


class Parameters(Struct, frozen=True, kw_only=True):
    """All parameters of a model. ``features`` is the version of the code that computes its inputs.

    The inputs are the measures of that code, followed by one input for each word. ``means`` are subtracted
    from the inputs, and the differences are divided by ``scales`` and bounded. ``slope`` and ``offset`` turn
    the weighted sum into the logit of a probability.
    """

    features: int
    words: list[str]
    means: list[float]
    scales: list[float]
    weights: list[float]
    intercept: float
    slope: float
    offset: float


class Estimate(Struct, frozen=True, kw_only=True):
    """A value with its 95% interval, clustered by item (task); null if too little is known."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """Numbers of labelled episodes, of their items (tasks), and of episodes labelled as successes."""

    episodes: int
    items: int
    successes: int


class GroupFigures(Struct, frozen=True, kw_only=True):
    """Figures for the held-out episodes of one benchmark or family.

    ``excess`` is the mean score minus the share of successes; above 0, the model pays too much for them.
    """

    kind: str
    name: str
    sample: Sample
    auroc: Estimate
    excess: float


class Attack(Struct, frozen=True, kw_only=True):
    """The effect that rewriting the completions of failed held-out episodes has on their scores.

    ``shift`` is the mean change of their scores, and ``raised`` is the share of them whose score rises.
    ``auroc`` is the AUROC that remains when only failures are rewritten.
    """

    name: str
    description: str
    shift: float
    raised: float
    auroc: float | None
    is_fooled: bool


class Weight(Struct, frozen=True, kw_only=True):
    feature: str
    weight: float


class CalibrationBin(Struct, frozen=True, kw_only=True):
    """Held-out episodes with similar scores, their mean ``score``, and the ``share`` that succeeded."""

    episodes: int
    score: float
    share: float


# Figures with their default value are not encoded, so that cards keep their hash when a figure is added
# later.
class Card(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's measurements, which decide whether it may pay.

    ``data_sha256`` identifies all data to which the model was fitted and on which it was measured. ``auroc``
    and all figures after it are measured on held-out items, whose episodes were not used for fitting.
    ``auroc_within_items`` compares only attempts at the same task. ``calibration`` has the episodes in tenths
    by score; it is empty for models that were fitted before it was stored. ``people`` counts people's labels,
    and ``overruled`` counts those that differ from the verdict. ``earlier`` is how many models of this
    project were measured on the same items before.
    """

    name: str
    data_sha256: str
    fitted: Sample
    held: Sample
    people: int
    overruled: int
    pairs_fitted: int
    pairs_held: int
    pairs_right: float | None
    regularisation: float
    auroc: Estimate
    auroc_within_items: Estimate
    calibration_error: float
    calibration: list[CalibrationBin] = []
    brier: float
    groups: list[GroupFigures]
    attacks: list[Attack]
    strongest: list[Weight]
    warnings: list[str]
    earlier: int
