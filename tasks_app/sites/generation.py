"""Tasks of a mock site, from its families: balanced, distinct, a world for some twenty of them.

Nothing of a task that is public says which world is drawn: numbers come from the installation's salt, and so
do the keys of worlds. That salt is a setting, which no other plug-in reads; the same count and seed make the
same tasks in one installation, and others in the next.
"""

from __future__ import annotations

import hmac
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

from django.conf import settings

from core import child_processes
from core.draws import Draws
from tasks_app.families import cheats
from tasks_app.families.registry import FAMILIES, discover, of_site
from tasks_app.families.types import LEVELS, Family, SiteTask
from tasks_app.types import BenchmarkPlugin, GoldDraft, Row, TaskDraft
from tasks_app.worlds import registry, text_view
from tasks_app.worlds.keys import PUBLIC_WORLD, changes_seal, world_key
from verifiers import denotations

KIND = "site"
TASKS_OF_A_WORLD = 20
DRAWS_OF_A_TASK = 3
# Drawn one after the other, each knowing those before; what is more is drawn beside it, in its own worlds.
LANE_TASKS = 1_000
# Worlds, and then lanes, that gave nothing new, one after the other, after which a count is given up.
WORLDS_IN_VAIN = 50
LANES_IN_VAIN = 5
MOST_IMPOSSIBLE = 0.1
"""Of a family's tasks."""
FIRST_DAY = date(2026, 3, 2)
DAYS = 1_000
# Of a family, to measure the cheats on; their seed is that of no command.
MEASURED_TASKS = 120
MEASURED_SEED = -1
NUMBER_BYTES = 6
KEY_DIGITS = 20
DECIMALS = 4
DONE_REASON = "interaction: it is done on its pages, and has no arm without them"
LONG_REASON = f"interaction: its text has more than {text_view.SHORT_TOKENS:,} tokens"

Pair = tuple[Family[Any], int]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A task and the world that it is asked about.

    ``scope`` is what the wording says of where to look, None of a task that is done; ``gap_reason`` is why
    it cannot count in a gap.
    """

    task: SiteTask
    scope: Mapping[str, Any] | None
    gap_reason: str
    site: str
    number: int
    edition: str
    first_day: date
    key: bytes

    @property
    def place(self) -> dict[str, Any]:
        """All but the task."""
        names = ("site", "number", "edition", "first_day", "key")
        return {name: getattr(self, name) for name in names}


Placing = Callable[[SiteTask, Mapping[str, Any], Any], Placed]
"""Takes a task, the fields of ``Placed`` but for the task, and the world."""


@dataclass(kw_only=True)
class _Drawing:
    """What was drawn so far, and of what there is least."""

    pairs: list[Pair]
    placing: Placing
    placed: list[Placed] = field(default_factory=list)
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    impossible: Counter[str] = field(default_factory=Counter)
    seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def rarest(self) -> list[Pair]:
        return sorted(self.pairs, key=lambda pair: self.counts[pair[0].id, pair[1]])

    def add(self, placed: Placed) -> bool:
        task = placed.task
        if (task.wording, task.answer) in self.seen:
            return False
        self.seen.add((task.wording, task.answer))
        self.placed.append(placed)
        self.counts[task.family, task.level] += 1
        self.impossible[task.family] += not task.is_possible
        return True

    def has_room_for_twin(self, family: str) -> bool:
        total = sum(self.counts[family, level] for level in LEVELS)
        return self.impossible[family] + 1 <= MOST_IMPOSSIBLE * (total + 2)


@dataclass
class _Found:
    """What all lanes drew, each task once."""

    placed: list[Placed] = field(default_factory=list)
    seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def add(self, lane: Iterable[Placed]) -> int:
        """Add what is new; answers how much that is. A task goes with its twin, or both stay away."""
        before = len(self.placed)
        for _, group in itertools.groupby(lane, key=lambda one: one.task.twin or id(one)):
            tasks = list(group)
            asked = {(one.task.wording, one.task.answer) for one in tasks}
            if asked.isdisjoint(self.seen):
                self.seen |= asked
                self.placed += tasks
        return len(self.placed) - before


def plugin(site: str, *, title: str, sampled: tuple[str, ...]) -> BenchmarkPlugin:
    """The benchmark of a mock site; a sample of each family in ``sampled`` proves it."""

    def generated(count: int, seed: int, split: str) -> Iterator[Row]:
        return generate(site, count=count, seed=seed, split=split, salt=settings.WORLD_SALT)

    return BenchmarkPlugin(
        id=site,
        title=title,
        kind=KIND,
        license="Apache-2.0",
        source="made by this project",
        verifier_official="site_state-v1",
        verifier_training="site_state-v1",
        splits=("train", "test"),
        samples=samples_draw(site, sampled),
        generate_split=generated,
        exemplar_tag="family:",
    )


def generate(site: str, *, count: int, seed: int, split: str, salt: bytes) -> Iterator[Row]:
    """``count`` tasks of a split; fewer only when worlds give nothing new any more."""
    with _pool(count) as pool:
        measuring = pool.submit(guess_rates, site, split=split, salt=salt)
        drawn = tasks_draw(site, count=count, seed=seed, split=split, salt=salt, pool=pool)
        rates = measuring.result()
    drafts = (draft(placed, split=split, guess_rate=rates[placed.task.family]) for placed in drawn)
    # In an order that says nothing: an impossible task and its twin are drawn one after the other.
    for number, made in enumerate(sorted(drafts, key=lambda one: one.key.rpartition("/")[2]), start=1):
        yield replace(made, place=f"task {number}")


@lru_cache(maxsize=8)
def guess_rates(site: str, *, split: str, salt: bytes) -> Mapping[str, float]:
    """How often the best of the cheats is right, by family.

    Measured on a draw of its own, so that a task has the same rate however many are loaded with it. Cheats
    that look at pages (``check_shortcuts``) give whole answers more seldom than these.
    """
    discover()
    count = MEASURED_TASKS * sum(split in family.splits for family in of_site(site))
    drawn = tasks_draw(
        site,
        count=count,
        seed=MEASURED_SEED,
        split=split,
        salt=salt,
        placing=placed_untold,
        pool=child_processes.AtOnce(),
    )
    return {one.family: _rate(one) for one in cheats.measure([placed.task for placed in drawn])}


def tasks_draw(
    site: str,
    *,
    count: int,
    seed: int,
    split: str,
    salt: bytes,
    placing: Placing | None = None,
    pool: Executor | None = None,
) -> list[Placed]:
    """The tasks of one split, with their worlds; the same for the same arguments, on however many processors.

    ``placing`` is ``placed_untold`` for whoever does not ask how they are told; ``pool`` draws lanes side by
    side, one of its own unless told.
    """
    lane_of = partial(_lane_draw, site, seed=seed, split=split, salt=salt, placing=placing or placed_make)
    found = _Found()
    lanes = itertools.count()
    in_vain = 0
    with nullcontext(pool) if pool else _pool(count) as at_work:
        while (missing := count - len(found.placed)) > 0 and in_vain < LANES_IN_VAIN:
            sizes = [min(LANE_TASKS, missing - before) for before in range(0, missing, LANE_TASKS)]
            drawn = [
                at_work.submit(lane_of, count=size, lane=lane)
                for size, lane in zip(sizes, lanes, strict=False)
            ]
            in_vain = 0 if sum(found.add(lane.result()) for lane in drawn) else in_vain + 1
    return found.placed


def _pool(count: int) -> AbstractContextManager[Executor]:
    return child_processes.side_by_side() if count > LANE_TASKS else child_processes.AtOnce()


def _lane_draw(
    site: str, *, count: int, lane: int, seed: int, split: str, salt: bytes, placing: Placing
) -> list[Placed]:
    """Tasks that are balanced and distinct among themselves, of worlds that no other lane has."""
    discover()
    registry.discover()
    families = [family for family in of_site(site) if split in family.splits]
    pairs = [(family, level) for level in LEVELS for family in families]
    drawing = _Drawing(pairs=pairs, placing=placing)
    in_vain = worlds = 0
    while len(drawing.placed) < count and in_vain < WORLDS_IN_VAIN:
        path = f"{seed}:{worlds}" if lane == 0 else f"{seed}:{worlds}:{lane}"
        place = _place(site, split, path, salt)
        before = len(drawing.placed)
        _world_ask(drawing, place, most=count)
        worlds += 1
        in_vain = 0 if len(drawing.placed) > before else in_vain + 1
    return drawing.placed


def _place(site: str, split: str, path: str, salt: bytes) -> dict[str, Any]:
    """Where the tasks of one world of a split are. Numbers of test are odd, so that no world is in both."""
    drawn = hmac.digest(salt, f"world:{site}:{split}:{path}".encode(), sha256)
    number = int.from_bytes(drawn[:NUMBER_BYTES], "big") * 2 + 2 + (split == "test")
    return place_of(site, number=number, edition=split, salt=salt)


def place_of(site: str, *, number: int, edition: str, salt: bytes) -> dict[str, Any]:
    """The fields of ``Placed`` but for the task."""
    key = world_key(salt=salt, site=site, number=number)
    first_day = FIRST_DAY + timedelta(days=Draws(key, "first day").whole(0, DAYS - 1))
    return {"site": site, "number": number, "edition": edition, "first_day": first_day, "key": key}


def _world_ask(drawing: _Drawing, place: Mapping[str, Any], *, most: int) -> None:
    world = open_world(place)
    draws = Draws(place["key"], "tasks")
    for slot in range(TASKS_OF_A_WORLD):
        for family, level in drawing.rarest():
            if len(drawing.placed) >= most:
                return
            found = _drawn(world, draws.at(family.id, level, slot), family, level)
            if found and _both_add(drawing, place, world, family, found, most=most):
                break


def open_world(place: Mapping[str, Any], *, changes: Sequence[Mapping[str, Any]] = ()) -> Any:
    plugin = registry.worlds.get(place["site"])
    return plugin.open_world(
        place["key"], edition=place["edition"], first_day=place["first_day"], changes=changes
    )


def _drawn(world: Any, draws: Draws, family: Family[Any], level: int) -> SiteTask | None:
    tries = (family.draw(world, draws.at(number), level) for number in range(DRAWS_OF_A_TASK))
    most = family.steps[level - 1]
    return next((task for task in tries if task is not None and task.oracle_steps <= most), None)


def _both_add(
    drawing: _Drawing,
    place: Mapping[str, Any],
    world: Any,
    family: Family[Any],
    task: SiteTask,
    *,
    most: int,
) -> bool:
    """Add a task, and its impossible twin where there is room for both."""
    has_room = len(drawing.placed) + 2 <= most and drawing.has_room_for_twin(family.id)
    twin = family.twin(world, task) if family.twin and has_room else None
    if twin and twin.oracle_steps > family.steps[task.level - 1]:
        twin = None
    placed = drawing.placing(task, place, world)
    if twin is None:
        return drawing.add(placed)
    is_added = drawing.add(replace(placed, task=replace(task, twin=twin.twin)))
    return is_added and drawing.add(replace(placed, task=twin))


def placed_make(task: SiteTask, place: Mapping[str, Any], world: Any) -> Placed:
    if task.goal is not None:
        return Placed(task=task, scope=None, gap_reason=DONE_REASON, **place)
    site = place["site"]
    scope = registry.worlds.get(site).telling.scope_of(world, task.given)
    reason = "" if text_view.is_short(site, world, scope) else LONG_REASON
    return Placed(task=task, scope=scope, gap_reason=reason, **place)


def placed_untold(task: SiteTask, place: Mapping[str, Any], world: Any) -> Placed:
    """The task in its place, without what its text takes: how long that is takes a fifth of all drawing."""
    return Placed(task=task, scope=None, gap_reason="", **place)


def draft(placed: Placed, *, split: str | None, guess_rate: float = 0.0, place: str = "") -> TaskDraft:
    """The task as it is stored. Whether it can be done, and what else there is to know, is in its gold."""
    task = placed.task
    sealed = changes_seal(task.changes, key=placed.key, text=task.wording)
    key = sha256(f"{placed.site}:{placed.number}:{task.wording}:{sealed}".encode()).hexdigest()[:KEY_DIGITS]
    scope = {} if placed.scope is None else {text_view.SCOPE: placed.scope}
    return TaskDraft(
        key=f"{task.family}/{key}",
        kind=KIND,
        prompt=task.wording,
        payload={
            "site": placed.site,
            "world": placed.number,
            "edition": placed.edition,
            "first_day": placed.first_day.isoformat(),
            "changes": sealed,
            "text": task.wording,
            "format": "plain",
            "fields": list(task.fields),
            "forms": task.forms,
            **scope,
        },
        gold=_gold(task),
        split=split,
        difficulty=(task.level - 1) / (len(LEVELS) - 1),
        tags=(f"family:{task.family}", f"level-{task.level}"),
        guess_rate=guess_rate,
        oracle_steps=FAMILIES.get(task.family).steps[task.level - 1],
        gap_reason=placed.gap_reason,
        place=place,
    )


def _gold(task: SiteTask) -> GoldDraft:
    """``state`` is what each part of the final state must equal, in tasks that are done."""
    extra: dict[str, Any] = {
        "is_possible": task.is_possible,
        "twin": task.twin,
        "oracle_steps": task.oracle_steps,
        "needs": list(task.needs),
        "given": dict(task.given),
    }
    if task.goal is not None:
        extra |= {"state": task.goal["state"], "free": task.goal["free"]}
    return GoldDraft(answer=denotations.cell_of(task.answer), extra=extra)


def samples_draw(site: str, families: tuple[str, ...]) -> tuple[TaskDraft, ...]:
    """A task of each family, about the world that every installation draws alike."""
    discover()
    place = place_of(site, number=PUBLIC_WORLD, edition="train", salt=b"")
    world = open_world(place)
    found = (
        _drawn(world, Draws(place["key"], "samples", family.id), family, 1)
        for family in of_site(site)
        if family.id in families
    )
    return tuple(draft(placed_make(task, place, world), split=None, place="sample") for task in found if task)


def _rate(guesses: cheats.Guesses) -> float:
    """How often the best of the cheats is right."""
    return round(max(guesses.commonest, guesses.constant, guesses.wording, guesses.cannot), DECIMALS)
