"""Inputs, parameters and card of a learned reward."""

from __future__ import annotations

from msgspec import Struct

Facts = dict[str, float | None]


class Recorded(Struct, frozen=True, kw_only=True):
    """The parts of an episode that learned rewards read: no gold, no verdict, no text of the answer.

    ``texts`` are the completions of the policy's own steps, in order; ``facts`` are columns of its facts, and
    None before they are stored.
    """

    episode: int
    item: int
    project: str
    has_answer: bool
    texts: list[str]
    facts: Facts | None


class Parameters(Struct, frozen=True, kw_only=True):
    """A model, whole. ``features`` is the version of the code that computes its inputs.

    The inputs are the measures of that code and then one for each word; each is centred by ``means``, divided
    by ``scales`` and bounded. ``slope`` and ``offset`` turn the weighted sum into the logit of a probability.
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
    """A value with its 95% interval, which draws on whole items; null if too little is known."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """Episodes with a label, the items (tasks) that they are of, and how many are labelled a success."""

    episodes: int
    items: int
    successes: int


class GroupFigures(Struct, frozen=True, kw_only=True):
    """Held-out episodes of one benchmark or family.

    ``excess`` is the mean score less the share of successes: above 0 the model pays too much there.
    """

    kind: str
    name: str
    sample: Sample
    auroc: Estimate
    excess: float


class Attack(Struct, frozen=True, kw_only=True):
    """Effect on the scores of held-out episodes of rewriting their completions.

    ``shift`` is the mean change of the failures' scores, ``raised`` the share of them whose score rises, and
    ``auroc`` what is left if failures alone are rewritten.
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
    """Held-out episodes of similar scores: their mean ``score``, and the ``share`` of them that succeeded."""

    episodes: int
    score: float
    share: float


# Figures at their defaults are not encoded, so that cards from before a figure was added keep their hash.
class Card(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Measurements of a model, required before it may pay anybody.

    ``data_sha256`` identifies everything that it was fitted to and measured on. ``auroc`` and all figures
    after it are of held-out items, to whose episodes the fit was blind; ``auroc_within_items`` compares
    attempts at the same task alone. ``calibration`` has tenths of the episodes by score, and nothing on cards
    of models that were fitted before it was stored. ``people`` counts labels of people, and ``overruled`` the
    verdicts that they differ from. ``earlier`` models of this project were measured on the same items before.
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
