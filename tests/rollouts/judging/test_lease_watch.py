"""An episode is void only when looks of one process, by its own clock, prove that nobody goes on with it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import pytest

from trajectories.rollouts.judging import reaper
from trajectories.rollouts.judging.reaper import MARKS, LeaseWatch, Mark, WatchTime

EVERY_S, LEASE_S, GRACE_S, UNUSED_S = 15.0, 300.0, 90.0, 86_400.0
LOST = {1: "lease_lost"}
ABANDONED = 1


def watch_of(opened: WatchTime) -> LeaseWatch:
    return LeaseWatch(every_s=EVERY_S, lease_s=LEASE_S, grace_s=GRACE_S, unused_s=UNUSED_S, opened=opened)


class Lab:
    """A watch over episodes that show life at every look, are abandoned, or were never used."""

    def __init__(self, *, alive: Iterable[int] = (), unused: Iterable[int] = (), age_s: float = 0.0) -> None:
        known = [Mark(0.0, max(unused, default=0)), Mark(age_s, max(unused, default=0))] if age_s else []
        self.watch = watch_of(WatchTime(longest_s=UNUSED_S, marks=known))
        self.now = 1_000.0
        self.alive, self.unused = set(alive), set(unused)

    def look(self, *, after_s: float = EVERY_S) -> dict[int, str]:
        self.now += after_s
        signs: dict[int, Hashable] = {ABANDONED: "step 3"}
        signs |= dict.fromkeys(self.alive, self.now) | dict.fromkeys(self.unused, None)
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
    watch = watch_of(WatchTime(longest_s=UNUSED_S))
    now, due = 0.0, dict[int, str]()
    for look in range(200):
        now += EVERY_S
        # Thinks for a whole lease between two steps.
        due |= watch.look({1: look // int(LEASE_S / EVERY_S), 2: look}, now=now)
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


@pytest.mark.parametrize("away_s", [LEASE_S, LEASE_S + GRACE_S, 1_500.0])
def test_a_time_in_which_nobody_reached_the_lab_is_no_silence(away_s: float) -> None:
    lab = Lab(alive=[2, 3])
    lab.look()
    alive, lab.alive = lab.alive, set()
    signs = dict.fromkeys(alive, "before")

    def unreachable() -> dict[int, str]:
        lab.now += EVERY_S
        return lab.watch.look({**signs, ABANDONED: "step 3"}, now=lab.now)

    unreachable()
    assert [unreachable() for _ in range(int(away_s / EVERY_S))] == [{}] * int(away_s / EVERY_S)
    lab.alive = alive
    assert lab.looks(LEASE_S + GRACE_S) == {}
    assert lab.look() == LOST


def test_episodes_that_all_were_abandoned_are_lost_in_the_end() -> None:
    lab = Lab()
    lab.look()
    assert lab.looks(LEASE_S + reaper.QUIET_MAX_S - EVERY_S) == {}
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


def test_an_age_is_never_more_than_the_time_that_was_watched() -> None:
    time = WatchTime(longest_s=UNUSED_S)
    opened_at, each_s = dict[int, float](), UNUSED_S / MARKS
    watched_s = 0.0
    for look in range(4 * MARKS):
        opened_at[look + 1] = watched_s
        time.go_on(each_s / 2, newest=look + 1)
        watched_s += each_s / 2
        for episode, since_s in opened_at.items():
            true_s = watched_s - since_s
            if true_s <= UNUSED_S:
                assert max(true_s - 2 * each_s, 0.0) <= time.age_s(episode) <= true_s
            else:
                assert time.age_s(episode) > UNUSED_S - 2 * each_s


def test_ages_go_on_after_a_restart_without_the_time_in_between() -> None:
    noted: list[Mark] = []
    before = WatchTime(longest_s=UNUSED_S, note=lambda mark, _oldest_s: noted.append(mark))
    for _ in range(100):
        before.go_on(UNUSED_S / 200, newest=7)
    after = WatchTime(longest_s=UNUSED_S, marks=noted)
    assert before.age_s(7) - UNUSED_S / MARKS <= after.age_s(7) <= before.age_s(7)
    assert after.age_s(8) == 0.0


def test_marks_that_are_too_old_to_matter_are_dropped() -> None:
    oldest: list[float] = []
    time = WatchTime(longest_s=UNUSED_S, note=lambda _mark, oldest_s: oldest.append(oldest_s))
    for look in range(5 * MARKS):
        time.go_on(UNUSED_S / MARKS, newest=look)
    assert len(time._marks) <= MARKS + 3
    assert oldest[-1] == time._marks[0].watched_s
