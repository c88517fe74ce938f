"""The separation of policies that narrate from policies that solve, by the share of narrating sentences.

The bar was set before the labels of the held-out sentences were read. The page of a run may show the share
only if the separation is above the bar.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, mean

from tests.behaviour.thoughts.judged import NARRATION, Judged, thought_kinds
from tests.behaviour.thoughts.records import SampledEpisode

NARRATOR, SOLVER = "scripted/narrator", "scripted/solver"
WORKED, UNWORKED = "Let me work this out.", "The reference solution gives only its result."
# The minimum area under the ROC curve, for narrating episodes against solving ones.
AREA_MIN = 0.95
# The minimum correlation, over episodes of real models, between the share by rules and the share by labels.
CORRELATION_MIN = 0.8
# Episodes with fewer labelled sentences are not compared, because their share means little.
SENTENCES_MIN = 3
# The minimum precision and recall of narration on agreed labels.
RIGHT_MIN = 0.8
TEXT = """Share of sentences that narrate, by the rules, mean over episodes: {narrator} for the scripted
narrator ({narrators} episodes) and {solver} for the scripted solver where it writes out a
solution ({solvers}); area under the ROC curve {area}. Over {real} episodes of real models the
share by rules and the share by labels correlate with {correlation}. Narration has precision
{precision} and recall {recall}. The bar was an area of {area_min}, a correlation of
{correlation_min}, and precision and recall of {right_min}: the measure {verdict}."""


@dataclass(frozen=True, kw_only=True)
class Separation:
    """The measured separation; ``episodes`` are the numbers for the narrator, the solver and real models."""

    area: float | None
    narrator: float
    solver: float
    correlation: float | None
    episodes: tuple[int, int, int]
    precision: float
    recall: float

    @property
    def is_enough(self) -> bool:
        return (
            (self.area or 0) >= AREA_MIN
            and (self.correlation or 0) >= CORRELATION_MIN
            and min(self.precision, self.recall) >= RIGHT_MIN
        )


def separation_of(judged: Sequence[Judged], episodes: Sequence[SampledEpisode]) -> Separation:
    """Measure the separation on a set's labelled sentences and all its episodes, some of them unlabelled."""
    by_episode: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        by_episode[one.episode.id].append(one)
    shares: dict[str, list[float]] = defaultdict(list)
    for episode in episodes:
        if episode.policy != SOLVER or is_worked(episode):
            shares[episode.policy].append(_share(thought_kinds(episode)))
    real = [
        sentences
        for sentences in by_episode.values()
        if sentences[0].episode.source != "scripted" and len(sentences) >= SENTENCES_MIN
    ]
    by_rule = [_share([one.given for one in sentences]) for sentences in real]
    by_label = [_share([label for one in sentences for label in one.labels]) for sentences in real]
    known = [(one.given in NARRATION, one.agreed in NARRATION) for one in judged if one.agreed]
    hits = sum(given and true for given, true in known)
    return Separation(
        area=_area(shares[NARRATOR], shares[SOLVER]),
        narrator=mean(shares[NARRATOR] or [0.0]),
        solver=mean(shares[SOLVER] or [0.0]),
        correlation=_correlation(by_rule, by_label),
        episodes=(len(shares[NARRATOR]), len(shares[SOLVER]), len(real)),
        precision=hits / max(1, sum(given for given, _ in known)),
        recall=hits / max(1, sum(true for _, true in known)),
    )


def separation_text(separation: Separation) -> str:
    area, related = (
        f"{value:.2f}" if value is not None else "–" for value in (separation.area, separation.correlation)
    )
    narrators, solvers, real = separation.episodes
    verdict = "is above it" if separation.is_enough else "is below it, so no page of a run shows the share"
    return TEXT.format(
        area=area,
        area_min=AREA_MIN,
        correlation=related,
        correlation_min=CORRELATION_MIN,
        narrator=f"{separation.narrator:.0%}",
        narrators=narrators,
        precision=f"{separation.precision:.0%}",
        real=real,
        recall=f"{separation.recall:.0%}",
        right_min=f"{RIGHT_MIN:.0%}",
        solver=f"{separation.solver:.0%}",
        solvers=solvers,
        verdict=verdict,
    )


def is_worked(episode: SampledEpisode) -> bool:
    """Return whether the solver writes out a solution; for some tasks, only the result is known."""
    if episode.kinds:
        return episode.is_worked
    thoughts = " ".join(step.thought for step in episode.steps)
    return WORKED in thoughts and UNWORKED not in thoughts


def _share(kinds: Sequence[str]) -> float:
    return sum(kind in NARRATION for kind in kinds) / len(kinds) if kinds else 0.0


def _area(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """Return how often one of ``higher`` is above one of ``lower``; ties count half."""
    pairs = [(a > b) + (a == b) / 2 for a in higher for b in lower]
    return mean(pairs) if pairs else None


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    try:
        return correlation(first, second)
    except StatisticsError:
        return None
