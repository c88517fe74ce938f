"""A profile's payment for an episode, as a pure function of the episode's components."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.types import Combination, Payment, Profile, Term
from trajectories.rewards.registry import get_component
from trajectories.rewards.types import Steps

Shares = Mapping[str, float | None]
"""The position of each term's component in the term's range, by term; terms without a value are missing."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """The known components of one episode.

    A component that is missing does not apply; None means that it could not be computed. ``last`` is the
    number of the last step, 0 if there is none. ``trainer_step`` is the trainer step of the episode's policy
    version.
    """

    values: Mapping[str, float | None]
    steps: Mapping[str, Steps] = field(default_factory=dict)
    last: int = 0
    trainer_step: int = 0


def compute_payment(profile: Profile, known: Components) -> Payment:
    """Compute a profile's payment for an episode.

    The total is None if the outcome is None, or if a component that counts could not be computed.
    """
    terms = [term for term in profile.terms if _applies(term, known)]
    shares = {term.id: _share(term, known) for term in terms}
    open_ = {term.id: _is_open(term, profile.by_name, shares) for term in terms}
    pays = {term.id: _pay(term, shares[term.id], open_[term.id], known.trainer_step) for term in terms}
    if known.values.get(OUTCOME) is None or None in pays.values():
        return Payment(None, pays)
    paid = {name: pay for name, pay in pays.items() if pay is not None}
    counting = [term for term in terms if profile.shape != "potential" or term.component == OUTCOME]
    total = _clip(COMBINED[profile.combination](counting, paid, shares), profile)
    paying = [term for term in terms if open_[term.id] and profile.shape != "at_end"]
    return Payment(total, pays, _spread(paying, paid, known, total))


def awaited(profile: Profile) -> dict[str, None]:
    """Return, as None, the profile's components that every episode will get but may not have yet."""
    return {term.component: None for term in profile.terms if get_component(term.component).is_awaited}


# ---- terms
def _applies(term: Term, known: Components) -> bool:
    return term.component in known.values or get_component(term.component).is_awaited


def range_of(term: Term) -> tuple[float, float]:
    """Return the ends of a term's range, between which its payment changes with the component's value."""
    component = get_component(term.component)
    low = component.low if term.low is None else term.low
    high = component.high if term.high is None else term.high
    return low, math.inf if high is None else high


def _share(term: Term, known: Components) -> float | None:
    value, steps = known.values.get(term.component), known.steps.get(term.component, {})
    if value is None:
        return None
    if get_component(term.component).level == "step" and steps:
        parts = [_of_range(term, one) for one in steps.values() if one is not None]
        return sum(parts) / len(parts)
    return _of_range(term, value)


def _of_range(term: Term, value: float) -> float:
    low, high = range_of(term)
    return min(max((value - low) / (high - low), 0.0), 1.0)


def _pay(term: Term, share: float | None, is_open: bool | None, trainer_step: int) -> float | None:
    if share is None or is_open is None:
        return None
    return weight_at(term, trainer_step) * _between(term, share) if is_open else 0.0


def _between(term: Term, share: float) -> float:
    return term.negative + (term.positive - term.negative) * share


def weight_at(term: Term, trainer_step: int) -> float:
    """Return a term's weight at a trainer step."""
    factors = [phase.factor for phase in term.schedule if phase.trainer_step <= trainer_step]
    return term.weight * (factors[-1] if factors else 1.0)


def _is_open(term: Term, terms: Mapping[str, Term], shares: Shares) -> bool | None:
    """Return True if a term's gate and that gate's own gates are open; None if unknown."""
    while term.gate is not None:
        share = shares.get(term.gate.term, 0.0)
        if share is None:
            return None
        if share < term.gate.at_least:
            return False
        term = terms[term.gate.term]
    return True


# ---- combination into one number
Combine = Callable[[Sequence[Term], Mapping[str, float], Shares], float]


def _sum(terms: Sequence[Term], paid: Mapping[str, float], _: Shares) -> float:
    return math.fsum(paid[term.id] for term in terms)


def _product(terms: Sequence[Term], paid: Mapping[str, float], _: Shares) -> float:
    return math.prod(paid[term.id] for term in terms)


def _blend(terms: Sequence[Term], paid: Mapping[str, float], _: Shares) -> float:
    """Return the mean weighted by trust; a missing term's trust goes to the others in proportion."""
    whole = math.fsum(term.trust or 0.0 for term in terms)
    return math.fsum((term.trust or 0.0) * paid[term.id] for term in terms) / whole if whole else 0.0


def _cascade(terms: Sequence[Term], paid: Mapping[str, float], shares: Shares) -> float:
    """Return the payment of the first term that decides, or of the last term if none does."""
    for term in terms:
        share = shares[term.id]
        if share is not None and not term.decides_below < share < term.decides_above:
            return paid[term.id]
    return paid[terms[-1].id] if terms else 0.0


COMBINED: Mapping[Combination, Combine] = {
    "sum": _sum,
    "product": _product,
    "blend": _blend,
    "cascade": _cascade,
}


def _clip(total: float, profile: Profile) -> float:
    return total if profile.clip is None else min(max(total, profile.clip[0]), profile.clip[1])


# ---- distribution over steps
def _spread(
    terms: Sequence[Term], paid: Mapping[str, float], known: Components, total: float
) -> dict[int, float]:
    """Distribute a total over the steps; ``terms`` pay their own steps, and the last step gets the rest."""
    spread: dict[int, float] = {}
    for term in terms:
        for step, pay in _of_steps(term, paid[term.id], known).items():
            spread[step] = spread.get(step, 0.0) + pay
    if known.last:
        spread[known.last] = spread.get(known.last, 0.0) + total - math.fsum(spread.values())
    return spread


def _of_steps(term: Term, paid: float, known: Components) -> dict[int, float]:
    """Distribute an open term's payment over the steps that have a value.

    The payment for a component of the whole episode is divided equally among the steps credited with it.
    """
    steps = {step: value for step, value in known.steps.get(term.component, {}).items() if value is not None}
    if get_component(term.component).level == "episode":
        return dict.fromkeys(steps, paid / len(steps)) if steps else {}
    part = weight_at(term, known.trainer_step) / max(len(steps), 1)
    return {step: part * _between(term, _of_range(term, value)) for step, value in steps.items()}
