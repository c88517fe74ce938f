"""Check that no wrong answer can be paid like a right one.

Compares the best wrong episode with the worst right one.

Terms that share a component or a gate are tried together at every end of their ranges, which is where a sum
has its extremes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from msgspec.structs import replace

from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.payment import Components, payment_of, range_of
from trajectories.rewards.profiles.types import Profile, Term
from trajectories.rewards.registry import component_of

TRIED_MAX = 200_000
Episode = dict[str, float]
"""The values of components; one that is missing does not apply."""


class TooManyTogether(Exception):
    """Too many interdependent terms to try all combinations."""


@dataclass(frozen=True)
class Extremes:
    """The best wrong episode and the worst right one from a trainer step on, with what they are paid."""

    trainer_step: int
    wrong: Episode
    wrong_paid: float
    right: Episode
    right_paid: float

    @property
    def is_sound(self) -> bool:
        return self.wrong_paid < self.right_paid


def extremes_of(profile: Profile) -> Extremes:
    """Those of the schedule's phase in which a wrong episode comes closest. Raises ``TooManyTogether``."""
    steps = {0} | {phase.trainer_step for term in profile.terms for phase in term.schedule}
    phases = [_extremes_at(profile, step) for step in sorted(steps)]
    return max(phases, key=lambda one: one.wrong_paid - one.right_paid)


def _extremes_at(profile: Profile, trainer_step: int) -> Extremes:
    wrong = _best(profile, outcome=0.0, sign=1, trainer_step=trainer_step)
    right = _best(profile, outcome=1.0, sign=-1, trainer_step=trainer_step)
    return Extremes(
        trainer_step, wrong, _paid(profile, wrong, trainer_step), right, _paid(profile, right, trainer_step)
    )


def _best(profile: Profile, *, outcome: float, sign: int, trainer_step: int) -> Episode:
    """Return the episode with this outcome that is paid most, or with ``sign`` -1 least."""
    best: Episode = {OUTCOME: outcome}
    for terms in _clusters(profile):
        part = replace(profile, terms=terms, clip=None)
        paid = [(sign * _paid(part, episode, trainer_step), episode) for episode in _episodes(terms, outcome)]
        best |= max(paid, key=itemgetter(0))[1]
    return best


def _paid(profile: Profile, episode: Mapping[str, float], trainer_step: int) -> float:
    paid = payment_of(profile, Components(values=episode, trainer_step=trainer_step)).total
    return math.nan if paid is None else paid


def _clusters(profile: Profile) -> list[list[Term]]:
    """Return the terms that must be considered together: all of them unless they are added up."""
    if profile.combination != "sum":
        return [profile.terms]
    clusters: list[tuple[set[str], list[Term]]] = []
    for term in profile.terms:
        names = {term.component, *_gate_components(term, profile)} - {OUTCOME}
        joined = [cluster for cluster in clusters if cluster[0] & names]
        clusters = [cluster for cluster in clusters if not cluster[0] & names]
        clusters.append(
            (names.union(*(one[0] for one in joined)), [*itertools.chain(*(one[1] for one in joined)), term])
        )
    return [_with_gates(terms, profile) for _, terms in clusters]


def _gate_components(term: Term, profile: Profile) -> Iterator[str]:
    while term.gate is not None:
        term = profile.by_name[term.gate.term]
        yield term.component


def _with_gates(terms: Sequence[Term], profile: Profile) -> list[Term]:
    """The cluster's terms in the order of the profile. A gate on the outcome needs that term too."""
    names = {term.id for term in terms} | {term.gate.term for term in terms if term.gate is not None}
    return [term for term in profile.terms if term.id in names]


def _episodes(terms: Sequence[Term], outcome: float) -> Iterator[Episode]:
    values = {
        name: (*([] if component_of(name).is_awaited else [None]), *sorted(_ends(name, terms)))
        for name in dict.fromkeys(term.component for term in terms)
        if name != OUTCOME
    }
    if math.prod(len(one) for one in values.values()) > TRIED_MAX:
        raise TooManyTogether
    for chosen in itertools.product(*values.values()):
        episode = {name: value for name, value in zip(values, chosen, strict=True) if value is not None}
        yield {OUTCOME: outcome, **episode}


def _ends(component: str, terms: Sequence[Term]) -> set[float]:
    """Values of a component at which what is paid may be greatest or least: the ends of its ranges, and both
    sides of what opens a gate or decides a cascade."""
    ends: set[float] = set()
    for term in terms:
        if term.component != component:
            continue
        low, high = range_of(term)
        gates = [one.gate.at_least for one in terms if one.gate is not None and one.gate.term == term.id]
        turns = [low + (high - low) * share for share in (*gates, term.decides_below, term.decides_above)]
        ends |= {low, high}
        ends |= {min(max(math.nextafter(turn, to), low), high) for turn in turns for to in (low, turn, high)}
    return ends
