"""Rewards of episodes, computed by a profile from their current components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from core.database.sql import Statement
from core.errors import GymError
from trajectories.models import Episode, RewardSource, Run
from trajectories.record import projects
from trajectories.record.projects import Viewer
from trajectories.rewards import registry, store
from trajectories.rewards.components.learned import MARK
from trajectories.rewards.components.outcome import OUTCOME
from trajectories.rewards.learned import store as learned
from trajectories.rewards.learned.source import read_recorded
from trajectories.rewards.profiles.payment import Components, awaited, compute_payment
from trajectories.rewards.profiles.store import DEFAULT, SETTING, Named, check_may_pay, profile_get
from trajectories.rewards.profiles.types import Payment
from trajectories.rewards.store import components_of, rows_of

KNOWN = Statement(__file__, "known", is_hot=True)


class _Source(Struct, frozen=True):
    kind: str
    name: str
    version: str
    values: dict[str, float | None]
    steps: dict[str, dict[int, float | None]]


class PaidStep(Struct, frozen=True, kw_only=True):
    """A step's reward. ``components`` have a value for this step; ``paid`` is null if the total is null."""

    step: int
    paid: float | None
    components: dict[str, float | None]


class Rewards(Struct, frozen=True, kw_only=True):
    """An ended episode's reward under a profile.

    ``total`` is null if the verdict is void, or if a component that counts could not be computed. Components
    that do not apply are missing from ``components`` and ``terms``. ``sources`` has the version of each
    source.
    """

    episode: int
    profile: str
    total: float | None
    terms: dict[str, float | None]
    components: dict[str, float | None]
    steps: list[PaidStep]
    sources: dict[str, str]


_decode = msgspec.json.Decoder(list[_Source]).decode


def rewards_of(episode_ids: Sequence[int], *, named: Named) -> dict[int, Rewards]:
    """Return the rewards of the given episodes that have ended, by id.

    Values of rules and learned rewards that are not stored yet are computed now, and not stored.
    """
    read = _read(episode_ids, _list_components([named]))
    unsaid = awaited(named.profile)
    return {one: _rewards(one, *parts, named, unsaid) for one, parts in read.items()}


def compute_payments(episode_ids: Sequence[int], *, named: Sequence[Named]) -> dict[int, list[Payment]]:
    """Return each profile's payments for the given episodes that have ended, by id.

    The episodes are read once for all profiles.
    """
    return {
        one: [compute_payment(profile.profile, known) for profile in named]
        for one, (known, _) in _read(episode_ids, _list_components(named)).items()
    }


def values_of(episode_ids: Sequence[int], *, components: Sequence[str]) -> dict[int, dict[str, float | None]]:
    """Return the components of each ended episode by id; a value is None if it could not be computed.

    Components that are not stored yet are computed, as they are for a payment.
    """
    return {
        one: {name: known.values[name] for name in components if name in known.values}
        for one, (known, _) in _read(episode_ids, components).items()
    }


def _list_components(named: Sequence[Named]) -> list[str]:
    return [term.component for one in named for term in one.profile.terms]


_Read = dict[int, tuple[Components, list[_Source]]]


def _read(episode_ids: Sequence[int], components: Sequence[str]) -> _Read:
    """Read the ended episodes' components with their sources; only the given learned ones are computed."""
    read = {row[0]: _read_known(*row[1:]) for row in KNOWN.rows(ids=list(episode_ids))}
    missing = [one for one, (_, sources) in read.items() if not _has_rules(sources)]
    for reading in store.readings_of(missing) if missing else []:
        values, steps = rows_of(components_of(reading))
        read[reading.episode][1].append(
            _Source(RewardSource.Kind.RULE, store.RULES, registry.revision(), values, steps)
        )
    _read_learned(read, components)
    return {one: (_joined(known, sources), sources) for one, (known, sources) in read.items()}


def _read_learned(read: _Read, components: Sequence[str]) -> None:
    """Add the learned rewards that are not stored yet; a value is null if the model no longer exists."""
    names = learned.names_in(components)
    models = learned.load_named_models(names) if names else {}
    for name in names:
        missing = [
            episode
            for episode, (known, sources) in read.items()
            if known.values[OUTCOME] is not None and all(name != f"{MARK}{one.name}" for one in sources)
        ]
        if name not in models:
            for episode in missing:
                read[episode][1].append(_Source(RewardSource.Kind.LEARNED, name, "", {name: None}, {}))
            continue
        model = models[name]
        recorded = read_recorded(missing) if missing else []
        for episode, computed in learned.values_of(model, recorded).items():
            values, steps = rows_of(computed)
            read[episode][1].append(_Source(RewardSource.Kind.LEARNED, model.id, model.sha256, values, steps))


def _read_known(
    reward: float | None, last: int | None, trainer_step: int | None, sources: str | None
) -> tuple[Components, list[_Source]]:
    components = Components(values={OUTCOME: reward}, last=last or 0, trainer_step=trainer_step or 0)
    return components, _decode(sources) if sources else []


def _has_rules(sources: Sequence[_Source]) -> bool:
    return any(
        (source.kind, source.version) == (RewardSource.Kind.RULE, registry.revision()) for source in sources
    )


def _joined(outcome: Components, sources: Sequence[_Source]) -> Components:
    values: dict[str, float | None] = dict(outcome.values)
    steps: dict[str, Mapping[int, float | None]] = {}
    for source in sources:
        values |= source.values
        steps |= source.steps
    return Components(values=values, steps=steps, last=outcome.last, trainer_step=outcome.trainer_step)


def _rewards(
    episode: int, known: Components, sources: Sequence[_Source], named: Named, unsaid: Mapping[str, None]
) -> Rewards:
    payment = compute_payment(named.profile, known)
    return Rewards(
        episode=episode,
        profile=named.reference,
        total=payment.total,
        terms=dict(payment.terms),
        components={**unsaid, **known.values},
        steps=_paid_steps(known, payment.steps, is_paid=payment.total is not None),
        sources={f"{one.kind} {one.name}": one.version for one in sources},
    )


def _paid_steps(known: Components, paid: Mapping[int, float], *, is_paid: bool) -> list[PaidStep]:
    indices = sorted({index for steps in known.steps.values() for index in steps} | set(paid))
    return [
        PaidStep(
            step=index,
            paid=paid.get(index, 0.0) if is_paid else None,
            components={name: steps[index] for name, steps in known.steps.items() if index in steps},
        )
        for index in indices
    ]


def episode_rewards(episode_id: int, *, named: Named) -> Rewards:
    """Return an episode's rewards. Raises ``GymError`` 409 ``not_ended`` if it has no verdict yet."""
    rewards = rewards_of([episode_id], named=named).get(episode_id)
    if rewards is None:
        raise GymError("not_ended", f"Episode {episode_id} has no verdict yet.", status=409)
    return rewards


def run_rewards(
    *, run: Run, after: int, limit: int, named: Named, viewer: Viewer
) -> tuple[list[Rewards], int | None]:
    """Return a page of rewards of a run's ended episodes, and the id to continue after (None at the end)."""
    episodes = projects.visible(Episode.objects.filter(run=run, pk__gt=after, verdict__isnull=False), viewer)
    ids = list(episodes.order_by("pk").values_list("pk", flat=True)[: limit + 1])
    paid = rewards_of(ids[:limit], named=named)
    shown = [paid[one] for one in ids[:limit] if one in paid]
    return shown, ids[limit - 1] if len(ids) > limit else None


def profile_of_run(run: Run, reference: str, *, viewer: Viewer) -> Named:
    """Return the requested profile, or else the run's own, or else the default, which pays outcomes only."""
    return get_named_profile(run, reference, viewer=viewer) or profile_get(DEFAULT, viewer=viewer)


def get_named_profile(run: Run, reference: str, *, viewer: Viewer) -> Named | None:
    """Return the requested profile, or else the run's own, or None if there is neither.

    Raises ``GymError`` as ``check_may_pay`` does if the requested profile may not pay a training run. The
    run's own profile was checked when the run was created.
    """
    chosen = reference or run.settings.get(SETTING)
    named = profile_get(chosen, viewer=viewer) if chosen else None
    if named is not None and reference and run.kind == Run.Kind.TRAIN:
        check_may_pay(named.profile, viewer=viewer)
    return named
