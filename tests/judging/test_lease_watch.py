"""An episode is void only when looks of one process, by its own clock, prove that nobody goes on with it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from trajectories.judging import lease_watch
from trajectories.judging.lease_watch import LeaseWatch, Sign

EVERY_S, LEASE_S, GRACE_S, UNUSED_S = 15.0, 300.0, 90.0, 86_400.0
LOST = {1: "lease_lost"}
ABANDONED = 1


class Lab:
    """A watch over episodes that show life at every look, are abandoned, or were never used."""

    def __init__(self, *, alive: Iterable[int] = (), unused: Iterable[int] = (), age_s: float = 0.0) -> None:
        self.watch = LeaseWatch(every_s=EVERY_S, lease_s=LEASE_S, grace_s=GRACE_S, unused_s=UNUSED_S)
        self.now = 1_000.0
        self.alive, self.unused = set(alive), set(unused)
        self.wall = 0.0  # what the database's clock adds to the ages
        self.age_s = age_s

    def look(self, *, after_s: float = EVERY_S) -> dict[int, str]:
        self.now += after_s
        age_s = self.age_s + self.now + self.wall
        signs = {ABANDONED: Sign("step 3", age_s)}
        signs |= {episode: Sign(self.now, age_s) for episode in self.alive}
        signs |= {episode: Sign(None, age_s) for episode in self.unused}
        return self.watch.look(signs, now=self.now)

    def looks(self, seconds: float) -> dict[int, str]:
        """All that becomes void within the time."""
        due: dict[int, str] = {}
        for _ in range(int(seconds / EVERY_S)):
            due |= self.look()
        return due


def test_a_silent_episode_is_lost_after_its_lease_and_the_grace_period() -> None:
    lab = Lab(alive=[2])
    lab.look()
    assert lab.looks(LEASE_S + GRACE_S - EVERY_S) == {}
    assert lab.look() == LOST


def test_an_episode_that_shows_life_within_the_grace_period_has_a_new_lease() -> None:
    watch = LeaseWatch(every_s=EVERY_S, lease_s=LEASE_S, grace_s=GRACE_S, unused_s=UNUSED_S)
    now, due = 0.0, dict[int, str]()
    for look in range(200):
        now += EVERY_S
        # Thinks for a whole lease between two steps.
        due |= watch.look({1: Sign(look // int(LEASE_S / EVERY_S), now), 2: Sign(look, now)}, now=now)
    assert due == {}


def test_what_happened_before_this_process_looked_proves_nothing() -> None:
    lab = Lab(alive=[2], age_s=10 * UNUSED_S)
    assert lab.look() == {}
    assert lab.look() == {}


@pytest.mark.parametrize("asleep_s", [4 * EVERY_S, LEASE_S, 10 * 3600.0])
def test_after_a_sleep_every_lease_begins_again(asleep_s: float) -> None:
    lab = Lab(alive=[2])
    lab.looks(LEASE_S + GRACE_S - EVERY_S)
    assert lab.look(after_s=asleep_s) == {}
    assert lab.looks(LEASE_S + GRACE_S - EVERY_S) == {}
    assert lab.look() == LOST


@pytest.mark.parametrize("jump_s", [-10 * UNUSED_S, -3_600.0, 3_600.0, 10 * UNUSED_S])
def test_a_wall_clock_that_jumps_changes_nothing(jump_s: float) -> None:
    lab = Lab(alive=[2], unused=[3])
    lab.look()
    lab.looks(LEASE_S / 2)
    lab.wall = jump_s
    assert lab.looks(LEASE_S / 2 + GRACE_S - EVERY_S) == {}
    assert lab.looks(2 * EVERY_S) == LOST


@pytest.mark.parametrize("away_s", [LEASE_S, LEASE_S + GRACE_S, 1_500.0])
def test_a_time_in_which_nobody_reached_the_lab_is_no_silence(away_s: float) -> None:
    lab = Lab(alive=[2, 3])
    lab.look()
    alive, lab.alive = lab.alive, set()
    signs = {episode: Sign("before", 0.0) for episode in alive}

    def unreachable() -> dict[int, str]:
        lab.now += EVERY_S
        return lab.watch.look({**signs, ABANDONED: Sign("step 3", 0.0)}, now=lab.now)

    unreachable()
    assert [unreachable() for _ in range(int(away_s / EVERY_S))] == [{}] * int(away_s / EVERY_S)
    lab.alive = alive
    assert lab.looks(LEASE_S + GRACE_S) == {}
    assert lab.look() == LOST


def test_episodes_that_all_were_abandoned_are_lost_in_the_end() -> None:
    lab = Lab()
    lab.look()
    assert lab.looks(LEASE_S + lease_watch.QUIET_MAX_S - EVERY_S) == {}
    assert lab.look() == LOST


def test_nothing_counts_before_a_restart() -> None:
    lab = Lab(alive=[2])
    lab.looks(LEASE_S + GRACE_S)
    lab.watch.restart()
    assert lab.looks(LEASE_S + GRACE_S - EVERY_S) == {}


@pytest.mark.parametrize(("age_s", "due"), [(UNUSED_S - 2_000, {}), (UNUSED_S, {3: "expired_unused"})])
def test_an_episode_that_was_never_used_waits_for_a_day(age_s: float, due: dict[int, str]) -> None:
    lab = Lab(alive=[1, 2], unused=[3], age_s=age_s)
    assert lab.looks(LEASE_S + GRACE_S + 2 * EVERY_S) == due
