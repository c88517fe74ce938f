"""Parsing of profiles. A profile that cannot be paid, or could pay for wrong answers, is refused."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.families import registry as families
from tasks_app.families.milestones import MARK
from trajectories.rewards import registry
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.payment import Components, compute_payment, range_of
from trajectories.rewards.profiles.types import Profile, Term
from trajectories.rewards.registry import get_component

TRIED_MAX = 200_000
Episode = dict[str, float]
"""Values by component name; a component that is missing does not apply."""
CODE = "profile_refused"
TRUST_TOLERANCE = 1e-6


class TooManyTogether(Exception):
    """Raised if too many terms depend on each other to try all combinations of their values."""


@dataclass(frozen=True)
class Extremes:
    """The best-paid wrong and the worst-paid right episode from a trainer step on, with their payments."""

    trainer_step: int
    wrong: Episode
    wrong_paid: float
    right: Episode
    right_paid: float

    @property
    def is_sound(self) -> bool:
        return self.wrong_paid < self.right_paid


def find_extremes(profile: Profile) -> Extremes:
    """Return the extremes of the phase in which a wrong episode comes closest to a right one's payment.

    Raises ``TooManyTogether``.
    """
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
    """Return the episode with this outcome that is paid most, or least if ``sign`` is -1."""
    best: Episode = {OUTCOME: outcome}
    for terms in _clusters(profile):
        part = replace(profile, terms=terms, clip=None)
        paid = [(sign * _paid(part, episode, trainer_step), episode) for episode in _episodes(terms, outcome)]
        best |= max(paid, key=itemgetter(0))[1]
    return best


def _paid(profile: Profile, episode: Mapping[str, float], trainer_step: int) -> float:
    paid = compute_payment(profile, Components(values=episode, trainer_step=trainer_step)).total
    return math.nan if paid is None else paid


def _clusters(profile: Profile) -> list[list[Term]]:
    """Group the terms that must be considered together; only a sum has more than one group."""
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
    """Return the cluster's terms in the profile's order, with the terms that their gates refer to."""
    names = {term.id for term in terms} | {term.gate.term for term in terms if term.gate is not None}
    return [term for term in profile.terms if term.id in names]


def _episodes(terms: Sequence[Term], outcome: float) -> Iterator[Episode]:
    values = {
        name: (*([] if get_component(name).is_awaited else [None]), *sorted(_ends(name, terms)))
        for name in dict.fromkeys(term.component for term in terms)
        if name != OUTCOME
    }
    if math.prod(len(one) for one in values.values()) > TRIED_MAX:
        raise TooManyTogether
    for chosen in itertools.product(*values.values()):
        episode = {name: value for name, value in zip(values, chosen, strict=True) if value is not None}
        yield {OUTCOME: outcome, **episode}


def _ends(component: str, terms: Sequence[Term]) -> set[float]:
    """Return the values of a component at which the payment may be highest or lowest.

    They are the ends of its terms' ranges, and values on both sides of each threshold that opens a gate or
    decides a cascade.
    """
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


def profile_read(body: Any) -> Profile:
    """Build and check a profile from parsed JSON or TOML. Raises ``GymError`` ``profile_refused`` (422)."""
    try:
        profile = msgspec.convert(body, Profile)
    except msgspec.ValidationError as error:
        raise refused([str(error)]) from error
    problems = [problem for check in CHECKS for problem in check(profile)]
    problems = problems or list(_pays_wrong_answers(profile))
    if problems:
        raise refused(problems)
    return profile


def profile_of(body: Any) -> Profile:
    """Decode a stored profile, which was checked when it was stored."""
    return msgspec.convert(body, Profile)


def body_of(profile: Profile) -> dict[str, Any]:
    """Return the profile as JSON, with all defaults filled in."""
    body: dict[str, Any] = msgspec.to_builtins(profile)
    return body


def sha256_of(profile: Profile) -> str:
    """Return the hash of a profile's content, which identifies it."""
    return hashlib.sha256(msgspec.json.encode(profile, order="deterministic")).hexdigest()


def refused(problems: list[str]) -> GymError:
    """Return the error that refuses a profile, with a sentence for each problem."""
    return GymError(CODE, " ".join(problems), status=422, fields={"profile": problems})


# ---- checks
def _names(profile: Profile) -> Iterator[str]:
    for name, count in Counter(term.id for term in profile.terms).items():
        if count > 1:
            yield f"{count} terms have the name {name!r}. Give each its own name."


def _components(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        yield from _component(term)


def _component(term: Term) -> Iterator[str]:
    try:
        registry.get_component(term.component)
    except GymError as error:
        yield error.message
        return
    if term.component.startswith(MARK):
        yield from _milestone(term.component.removeprefix(MARK))


def _milestone(name: str) -> Iterator[str]:
    known = {milestone.name for _, family in families.FAMILIES.items() for milestone in family.milestones}
    known |= set(registry.MILESTONES)
    if name not in known:
        yield f"There is no milestone {name!r}. {did_you_mean(name, sorted(known))}"


def _ranges(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        if any(_component(term)):
            continue
        low, high = range_of(term)
        if math.isinf(high):
            yield f"{term.id!r} has no upper end. Set `high` to the value above which no more is paid."
        elif low >= high:
            yield f"{term.id!r} needs a `low` below its `high`."


def _gates(profile: Profile) -> Iterator[str]:
    terms = profile.by_name
    for term in profile.terms:
        seen, at = [term.id], term
        while at.gate is not None:
            if at.gate.term not in terms:
                hint = did_you_mean(at.gate.term, terms)
                yield f"The gate of {at.id!r} refers to an unknown term {at.gate.term!r}. {hint}"
                break
            at = terms[at.gate.term]
            if at.id in seen:
                yield f"The gates form a circle: {' → '.join([*seen, at.id])}."
                break
            seen.append(at.id)


def _trust(profile: Profile) -> Iterator[str]:
    trust = [term.trust for term in profile.terms]
    if profile.combination != "blend":
        if any(one is not None for one in trust):
            yield f"`trust` belongs to a blend; this is a {profile.combination}."
        return
    if None in trust:
        yield "In a blend, every term needs a `trust`."
    elif abs(math.fsum(one or 0.0 for one in trust) - 1.0) > TRUST_TOLERANCE:
        yield f"The `trust` of the terms adds up to {math.fsum(one or 0.0 for one in trust):g}, not to 1."


def _schedules(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        steps = [phase.trainer_step for phase in term.schedule]
        if steps != sorted(set(steps)):
            yield f"The trainer steps in the schedule of {term.id!r} must be in ascending order."


def _shapes(profile: Profile) -> Iterator[str]:
    if profile.shape != "at_end" and profile.combination != "sum":
        yield f"Only a sum can be spread over steps; a {profile.combination} must be paid `at_end`."
    if profile.clip is not None and profile.clip[0] >= profile.clip[1]:
        yield "`clip` needs a lower bound followed by a greater upper bound."
    if all(term.component != OUTCOME for term in profile.terms) and profile.shape == "potential":
        yield "Potentials are taken back at the end, so nothing is paid without a term for `outcome`."


CHECKS: tuple[Callable[[Profile], Iterator[str]], ...] = (
    _names,
    _components,
    _ranges,
    _gates,
    _trust,
    _schedules,
    _shapes,
)


def _pays_wrong_answers(profile: Profile) -> Iterator[str]:
    if profile.allow_shaping_over_outcome:
        return
    try:
        extremes = find_extremes(profile)
    except TooManyTogether:
        yield (
            "Too many of its terms depend on each other to check whether a wrong answer could be paid as "
            "much as a right one. Set `allow_shaping_over_outcome` to use it anyway."
        )
        return
    if not extremes.is_sound:
        yield _words(extremes)


def _words(extremes: Extremes) -> str:
    """Return the message that shows the best-paid wrong episode and the worst-paid right one."""
    since = f" From trainer step {extremes.trainer_step} on:" if extremes.trainer_step else ""
    return (
        f"A wrong answer can be paid as much as a right one.{since} {_values(extremes.wrong)} is paid "
        f"{extremes.wrong_paid:g}, and {_values(extremes.right)} is paid {extremes.right_paid:g}. Give "
        "`outcome` more weight, or set `allow_shaping_over_outcome`."
    )


def _values(episode: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in episode.items())
