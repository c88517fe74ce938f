"""Computation and storage of components, and the selection of the episodes that need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from core.database.sql import Statement, sql_read
from core.work.sweep import PAGE, Place, Seen
from palaestra.protocol.outcomes import VOID
from tasks_app import kinds
from trajectories.behaviour.facts.compute import acts_of
from trajectories.behaviour.facts.source import sources_read
from trajectories.behaviour.facts.types import ActFact
from trajectories.models import RewardSource
from trajectories.rewards import registry
from trajectories.rewards.learned import store as learned
from trajectories.rewards.learned.features import VERSION
from trajectories.rewards.learned.source import read_recorded
from trajectories.rewards.milestones.located_right_row import thought_tags
from trajectories.rewards.registry import COMPONENTS
from trajectories.rewards.types import Reading, ReadStep, Values

RULES = "rules"
_decode = msgspec.json.Decoder(Reading).decode
_encode = msgspec.json.Encoder().encode


def components_of(reading: Reading) -> dict[str, Values]:
    """Compute all of an episode's rule-based values, by name; a void episode has none."""
    if reading.outcome == VOID:
        return {}
    own = {step.index for step in reading.own_steps}
    computed: dict[str, Values] = {}
    for name in COMPONENTS:
        one = COMPONENTS.get(name)
        if one.compute is not None:
            computed |= {name: _of_own(values, own) for name, values in one.compute(reading).items()}
    return computed


def _of_own(values: Values, own: set[int]) -> Values:
    """Drop values of steps that are not the policy's own but a person's or, in a fork, the parent's."""
    return Values(values.episode, {step: value for step, value in values.steps.items() if step in own})


def rows_of(
    computed: Mapping[str, Values],
) -> tuple[dict[str, float | None], dict[str, dict[int, float | None]]]:
    """Return the two columns that are stored: the episode's values, and the values of its steps."""
    of_steps = {name: dict(values.steps) for name, values in computed.items() if values.steps}
    return {name: values.episode for name, values in computed.items()}, of_steps


READ = Statement(__file__, "reading", is_hot=True, site=kinds.SITE, choice=kinds.CHOICE, tools=kinds.TOOLS)
WRITE = Statement(__file__, "write", is_hot=True)
IS_DUE = sql_read(__file__, "is_due")
AFTER = Statement(__file__, "after", is_due=IS_DUE)
ALL = Statement(__file__, "all", is_due=IS_DUE)


def components_compute(episode_ids: Sequence[int]) -> int:
    """Compute and store the components of ended episodes; return how many steps these have."""
    source, models, steps = _rules_source(), learned.models_current(), 0
    for episode_id in episode_ids:
        for reading in readings_of([episode_id]):
            _write(episode_id, source, components_of(reading))
            recorded = read_recorded([episode_id]) if models and reading.outcome != VOID else []
            for model in models:
                values = learned.values_of(model, recorded)
                _write(episode_id, learned.source_of(model), values.get(episode_id, {}))
            steps += len(reading.steps)
    return steps


def _write(episode: int, source: int, computed: Mapping[str, Values]) -> None:
    values, steps = rows_of(computed)
    components_write(episode, source=source, values=values, steps=steps)


def components_write(
    episode: int,
    *,
    source: int,
    values: Mapping[str, float | None],
    steps: Mapping[str, Mapping[int, float | None]],
) -> None:
    """Store a source's components of an episode; the source's earlier ones are kept but no longer count."""
    WRITE.run(episode=episode, source=source, values=_encode(values).decode(), steps=_encode(steps).decode())


def _rules_source() -> int:
    """Return the id of the source for the current rules."""
    source, _ = RewardSource.objects.get_or_create(
        kind=RewardSource.Kind.RULE,
        name=RULES,
        version=registry.revision(),
        defaults={"detail": registry.rule_versions()},
    )
    return int(source.pk)


def readings_of(episode_ids: Sequence[int]) -> list[Reading]:
    """Return the components' inputs for the given episodes that have ended.

    Facts that are not stored yet are computed, because a trainer reads a group as soon as it is complete.
    """
    readings = [_decode(row[0]) for row in READ.rows(ids=list(episode_ids), thought_tags=thought_tags())]
    missing = [one.episode for one in readings if not one.has_facts]
    acts = {source.episode: acts_of(source) for source in sources_read(missing)} if missing else {}
    return [_with_facts(one, acts[one.episode]) if one.episode in acts else one for one in readings]


def _with_facts(reading: Reading, acts: Mapping[int, ActFact]) -> Reading:
    steps = [_step_with_facts(step, acts.get(step.index)) for step in reading.steps]
    return replace(reading, steps=steps, has_facts=True)


def _step_with_facts(step: ReadStep, act: ActFact | None) -> ReadStep:
    if act is None:
        return step
    return replace(step, check=act.check, repeats=act.repeats, page=step.page or act.place)


def episodes_after(place: Place[int], age_s: float) -> list[Seen[int]]:
    """Return the next page of episodes that ended at least ``age_s`` seconds ago.

    An episode is due if it lacks the components of the current rules or of a learned model, or if steps
    arrived after they were computed.
    """
    rows = AFTER.rows(since=place.since, key=place.key, age=age_s, limit=PAGE, **_versions())
    return [Seen(*row) for row in rows]


def _versions() -> dict[str, str | int]:
    return {"version": registry.revision(), "features": VERSION}


def episodes_all(*, after: int, limit: int, run: int | None, again: bool) -> list[int]:
    """Return ids of ended episodes of one run or of all: the due ones, or all of them if ``again`` is set."""
    rows = ALL.rows(after=after, limit=limit, run=run, again=again, **_versions())
    return [row[0] for row in rows]
