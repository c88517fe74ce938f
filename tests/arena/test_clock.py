from __future__ import annotations

from datetime import UTC, datetime

from gymsite.arena.site_dispatch import TICK, virtual_now


def test_the_clock_moves_with_site_events_and_nothing_else() -> None:
    start = datetime(2031, 12, 31, 23, 59, 45, tzinfo=UTC)

    assert virtual_now(start=start, site_events=0) == start
    assert virtual_now(start=start, site_events=3) - start == 3 * TICK
    assert virtual_now(start=start, site_events=1).year == 2032
