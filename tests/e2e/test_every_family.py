"""Every family of tasks, in other worlds, looks, years and time zones: what nobody touched is incorrect, the
oracle's way is correct, reaches every milestone and takes about as many moves as are allowed for, a wrong way
is incorrect. Judged as episodes are.

``WHOLE_SITES=1`` takes every world in every look and on every day; without it a family is taken in two looks,
each on a day and in a world of its own, and every other one that has impossible twins with one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page

from core.draws import Draws
from core.episodes.presentation import AXES, AXES_DRAWN, Look, look_rotate
from gymsite.oracle.solvers import SOLVERS
from tasks_app.families.registry import FAMILIES, discover
from tasks_app.families.types import LEVELS, SiteTask
from tasks_app.models import Task
from tasks_app.questions import questions
from tasks_app.sites.drafts import PlacedTask, draft_make, task_place
from tasks_app.sites.worlds import SiteWorld, site_world
from tests import factories
from tests.coverage_choice import IS_WHOLE
from tests.e2e.conftest import ArenaServer
from tests.e2e.exemplary import assert_exemplary
from trajectories.models import Episode, SiteEvent, Submission
from trajectories.rollouts.episodes.drafts import draw_virtual_start
from trajectories.rollouts.judging import services

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

OpenPage = Callable[..., Page]
WORLDS, LOOKS = 3, 5
# The task with the fewest moves among so many stands for its family: the others are only longer.
DRAWN = 1 if IS_WHOLE else 6
# Of the looks, and with them the days, of one family; a site's families together meet all values of a look.
SHOWN = {"stays": 1, "reviews": 2}
# They take as long as five others: in one look.
LONGEST = frozenset({"mean_rating", "most_of_five"})
DAYS = (
    (date(2028, 2, 29), "Pacific/Auckland"),
    (date(2027, 3, 14), "America/New_York"),  # clocks go forward
    (date(2027, 4, 4), "Pacific/Auckland"),  # and back
    (date(2026, 12, 31), "America/New_York"),
    (date(2036, 11, 20), "Europe/Berlin"),
)
"""One for each place: every family is solved on each, in the zone where it is a special day."""
TODAY = "zone => new Date().toLocaleDateString('en-CA', { timeZone: zone })"
FIXED = frozenset({"slow", "time_zone"})
"""Of a look: what goes by the place and by the day."""
SLACK = 0.6
# The machine's own clock is neither the episode's nor the server's.
BROWSER_ZONE = "Asia/Kathmandu"
CHANGES = frozenset({"booked", "changed", "cancelled"})

discover()
CASES = [
    pytest.param(family, number, place, id=f"{family}-{number}-{place}")
    for turn, (family, plugin) in enumerate(FAMILIES.items())
    for number in range(WORLDS)
    for place in range(LOOKS)
    if IS_WHOLE
    or (number == place % WORLDS and (place + turn) % LOOKS < SHOWN[plugin.site] - (family in LONGEST))
]
PAIRS = [
    pytest.param(family, number, place, id=f"{family}-{number}-{place}")
    for turn, family in enumerate(one for one, plugin in FAMILIES.items() if plugin.twin)
    for number in range(WORLDS)
    for place in range(LOOKS)
    if IS_WHOLE or number == place == turn % 2 == 0
]


@dataclass(frozen=True, kw_only=True)
class Case:
    placed: PlacedTask
    world: Any
    task: Task
    look: Look

    def episode(self) -> Episode:
        start = draw_virtual_start(self.task, seed=1, time_zone=self.look.time_zone)
        presentation = self.look.as_dict("site")
        return factories.episode(task=self.task, presentation=presentation, virtual_start=start)


def case_of(family_id: str, number: int, place: int) -> Case:
    turn = number * LOOKS + place
    site, world = _world(family_id, number=2 * turn + 2, turn=turn)
    drawn = itertools.islice(_tasks(family_id, world, turn, level=1 + number), DRAWN)
    return _case(min(drawn, key=lambda task: task.oracle_steps), site, world, look=_look(family_id, turn))


def pair_of(family_id: str, number: int, place: int) -> tuple[Case, Case]:
    """A task and its impossible twin, harder with every place; the first pair is in the neutral look."""
    turn = number * LOOKS + place
    site, world = _world(family_id, number=2 * turn + 1_002, turn=turn)
    plugin = FAMILIES.get(family_id)
    assert plugin.twin is not None
    levels = LEVELS[place:]
    drawn = (task for level in levels for task in _tasks(family_id, world, turn, level=level))
    pairs = ((task, twin) for task in drawn if (twin := plugin.twin(world, task)))
    task, twin = min(itertools.islice(pairs, DRAWN), key=lambda pair: pair[0].oracle_steps)
    changed = site.open(changes=twin.changes)
    look = _look(family_id, turn) if turn else Look(time_zone=DAYS[0][1])
    possible = _case(replace(task, twin=twin.twin), site, world, look=look)
    return possible, _case(twin, site, changed, look=look)


def _world(family_id: str, *, number: int, turn: int) -> tuple[SiteWorld, Any]:
    family = FAMILIES.get(family_id)
    edition = family.splits[-1] if turn >= LOOKS else family.splits[0]
    site = site_world(family.site, number=number, edition=edition, salt=settings.WORLD_SALT)
    site = replace(site, first_day=DAYS[turn % LOOKS][0])
    return site, site.open()


def _tasks(family_id: str, world: Any, turn: int, *, level: int) -> Iterator[SiteTask]:
    draws = (Draws("every family", family_id, turn, n) for n in range(60))
    drawn = (FAMILIES.get(family_id).draw(world, each, level) for each in draws)
    return (task for task in drawn if task)


def _look(family_id: str, turn: int) -> Look:
    fixed: dict[str, str | int] = {"time_zone": DAYS[turn % LOOKS][1]}
    if not IS_WHOLE:  # late sections are waited for on every page: in one look of a family
        fixed["slow"] = "short" if turn == LOOKS - 2 else "never"
    return look_rotate(seed=len(family_id), place=turn, fixed=fixed, page="site")


def _case(task: SiteTask, site: SiteWorld, world: Any, *, look: Look) -> Case:
    placed = task_place(task, site, world)
    return Case(placed=placed, world=world, task=_stored(placed), look=look)


def _stored(placed: PlacedTask) -> Task:
    verifier = {"verifier_official": "site_state-v1", "verifier_training": "site_state-v1"}
    benchmark = factories.benchmark(id=placed.world.site, kind="site", **verifier)
    draft = draft_make(placed, split="test")
    task = factories.task(
        benchmark=benchmark,
        kind="site",
        payload=draft.payload,
        prompt=draft.prompt,
        answer=draft.gold.answer,
        oracle_steps=draft.oracle_steps,
        tags=list(draft.tags),
    )
    task.golds.update(extra=draft.gold.extra)
    return task


def solved(case: Case, page: Page) -> int:
    """Solve the task of the episode whose first page is open and submit the answer; returns the number of
    moves.
    """
    return SOLVERS[case.placed.world.site](page, case.placed.task, case.world, case.look)


def allowed(case: Case) -> float:
    """The number of moves that a task may take in its look."""
    more = questions.get("site").more_moves(case.task.payload, case.look)
    return case.task.oracle_steps + more


def outcome(episode: Episode) -> str:
    assert services.submission_judge(episode_id=episode.pk)
    episode.refresh_from_db()
    assert episode.verdict is not None
    return episode.verdict.outcome


def handed_in(case: Case, answer: tuple[str, ...], events: Iterator[SiteEvent] | None = None) -> str:
    """The outcome of an episode in which these events happened, and this answer was given."""
    episode = case.episode()
    for event in events or ():
        SiteEvent.objects.create(episode=episode, seq=event.seq, kind=event.kind, data=event.data)
    factories.submission(episode, list(answer))
    return outcome(episode)


def test_every_value_of_a_look_axis_is_tried_on_each_site() -> None:
    for site in ("stays", "reviews"):
        cases = [case.values for case in CASES if FAMILIES.get(str(case.values[0])).site == site]
        looks = [
            _look(str(family), int(number) * LOOKS + int(place))  # type: ignore[call-overload]
            for family, number, place in cases
        ]
        for axis in AXES_DRAWN["site"].keys() - FIXED:
            assert {getattr(look, axis) for look in looks} == {*AXES[axis]}, axis


@pytest.mark.slow
@pytest.mark.parametrize(("family_id", "number", "place"), CASES)
def test_only_the_oracle_solution_is_correct(
    arena_server: ArenaServer, open_page: OpenPage, family_id: str, number: int, place: int
) -> None:
    case = case_of(family_id, number, place)
    task, episode = case.placed.task, case.episode()
    page = open_page(timezone_id=BROWSER_ZONE, locale="de-DE")
    page.goto(arena_server.address(episode))
    assert page.evaluate(TODAY, case.look.time_zone) == case.placed.world.first_day.isoformat()
    assert SLACK * task.oracle_steps <= solved(case, page) <= allowed(case)

    assert tuple(Submission.objects.get(episode=episode).answer) == task.answer
    assert outcome(episode) == "correct"
    assert episode.verdict is not None
    assert_exemplary(episode.verdict, task)

    events = [one for one in episode.site_events.order_by("seq") if one.kind != "answer_recorded"]
    changes = [one for one in events if one.kind in CHANGES]
    wrong = FAMILIES.get(family_id).wrong(case.world, task)
    assert handed_in(case, wrong, iter(events)) == "incorrect"
    if task.goal is None:
        assert handed_in(case, ("0",) * len(task.fields)) == "incorrect"
        return
    assert changes
    assert handed_in(case, task.answer) == "incorrect"
    assert handed_in(case, task.answer, (one for one in events if one is not changes[-1])) == "incorrect"


@pytest.mark.slow
@pytest.mark.parametrize(("family_id", "number", "place"), PAIRS)
def test_an_impossible_task_and_its_possible_twin_accept_only_their_own_answers(
    arena_server: ArenaServer, open_page: OpenPage, family_id: str, number: int, place: int
) -> None:
    pair, moves = pair_of(family_id, number, place), []
    for case, other in (pair, pair[::-1]):
        episode, page = case.episode(), open_page(timezone_id=BROWSER_ZONE)
        page.goto(arena_server.address(episode))
        moves.append(solved(case, page))
        assert moves[-1] <= allowed(case)
        assert tuple(Submission.objects.get(episode=episode).answer) == case.placed.task.answer
        assert outcome(episode) == "correct"
        assert episode.verdict is not None
        assert episode.verdict.metrics["submitted_before_evidence"] == 0

        done = [one for one in episode.site_events.order_by("seq") if one.kind in CHANGES]
        for events in ([], done):
            assert handed_in(case, other.placed.task.answer, iter(events)) == "incorrect"
            assert handed_in(other, case.placed.task.answer, iter(events)) == "incorrect"
    assert pair[0].task.oracle_steps == pair[1].task.oracle_steps
    if number == place == 0:
        assert max(moves) >= SLACK * pair[0].placed.task.oracle_steps
