"""Parsing of profiles. Those that cannot be paid, or pay for wrong answers, are refused with reasons."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from core.errors import GymError
from palaestra.protocol.suggestions import did_you_mean
from tasks_app.families import registry as families
from tasks_app.families.milestones import MARK
from trajectories.rewards import registry
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.profiles.payment import range_of
from trajectories.rewards.profiles.soundness import Extremes, TooManyTogether, extremes_of
from trajectories.rewards.profiles.types import Profile, Term

CODE = "profile_refused"
TRUST_TOLERANCE = 1e-6


def profile_read(body: Any) -> Profile:
    """A profile from what JSON or TOML says. Raises ``GymError`` ``profile_refused`` (422)."""
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
    """Return the refusal of a profile, with a sentence for each problem."""
    return GymError(CODE, " ".join(problems), status=422, fields={"profile": problems})


# ---- checks
def _names(profile: Profile) -> Iterator[str]:
    for name, count in Counter(term.id for term in profile.terms).items():
        if count > 1:
            yield f"{count} terms are called {name!r}: give each a name."


def _components(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        yield from _component(term)


def _component(term: Term) -> Iterator[str]:
    try:
        registry.component_of(term.component)
    except GymError as error:
        yield error.message
        return
    if term.component.startswith(MARK):
        yield from _milestone(term.component.removeprefix(MARK))


def _milestone(name: str) -> Iterator[str]:
    known = {one.name for _, family in families.FAMILIES.items() for one in family.milestones}
    known |= set(registry.MILESTONES)
    if name not in known:
        yield f"There is no milestone {name!r}. {did_you_mean(name, sorted(known))}"


def _ranges(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        if any(_component(term)):
            continue
        low, high = range_of(term)
        if math.isinf(high):
            yield f"{term.id!r} has no upper end: say with `high` from where on nothing more is paid."
        elif low >= high:
            yield f"{term.id!r} needs a `low` below its `high`."


def _gates(profile: Profile) -> Iterator[str]:
    terms = profile.by_name
    for term in profile.terms:
        seen, at = [term.id], term
        while at.gate is not None:
            if at.gate.term not in terms:
                hint = did_you_mean(at.gate.term, terms)
                yield f"The gate of {at.id!r} is no term: {at.gate.term!r}. {hint}"
                break
            at = terms[at.gate.term]
            if at.id in seen:
                yield f"Gates go round in a circle: {' → '.join([*seen, at.id])}."
                break
            seen.append(at.id)


def _trust(profile: Profile) -> Iterator[str]:
    trust = [term.trust for term in profile.terms]
    if profile.combination != "blend":
        if any(one is not None for one in trust):
            yield f"`trust` belongs to a blend; this is a {profile.combination}."
        return
    if None in trust:
        yield "In a blend every term needs its `trust`."
    elif abs(math.fsum(one or 0.0 for one in trust) - 1.0) > TRUST_TOLERANCE:
        yield f"The `trust` of the terms adds up to {math.fsum(one or 0.0 for one in trust):g}, not to 1."


def _schedules(profile: Profile) -> Iterator[str]:
    for term in profile.terms:
        steps = [phase.trainer_step for phase in term.schedule]
        if steps != sorted(set(steps)):
            yield f"The schedule of {term.id!r} does not rise from trainer step to trainer step."


def _shapes(profile: Profile) -> Iterator[str]:
    if profile.shape != "at_end" and profile.combination != "sum":
        yield f"Only a sum can be spread over steps; a {profile.combination} is paid `at_end`."
    if profile.clip is not None and profile.clip[0] >= profile.clip[1]:
        yield "`clip` needs a lower bound and then a greater one."
    if all(term.component != OUTCOME for term in profile.terms) and profile.shape == "potential":
        yield "Potentials are taken back at the end: without a term for `outcome` nothing is paid."


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
        extremes = extremes_of(profile)
    except TooManyTogether:
        yield (
            "So many of its terms depend on each other that nobody can check whether a wrong answer may be "
            "paid like a right one; `allow_shaping_over_outcome` takes it all the same."
        )
        return
    if not extremes.is_sound:
        yield _words(extremes)


def _words(extremes: Extremes) -> str:
    """The best wrong episode that can be made, and the worst right one."""
    since = f" From trainer step {extremes.trainer_step} on:" if extremes.trainer_step else ""
    return (
        f"A wrong answer can be paid as much as a right one.{since} {_values(extremes.wrong)} is paid "
        f"{extremes.wrong_paid:g}, and {_values(extremes.right)} {extremes.right_paid:g}. Give `outcome` "
        "more weight, or say `allow_shaping_over_outcome`."
    )


def _values(episode: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in episode.items())
