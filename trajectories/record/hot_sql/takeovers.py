"""The single definition of a takeover and where it is, for the arena, the lab and the sweeper."""

from __future__ import annotations

# Of a takeover `t`; `idle` is how long it may be without an act, in seconds.
TAKEN = "t.ended_at IS NULL AND t.last_at > now() - %(idle)s * interval '1 s'"
# Of a takeover `t`: the episode ends with it.
IS_LAST = "t.ended_as IN ('given_up', 'diverged')"
# Of a takeover `t` of an episode `e`: one with which the episode ends holds it until then.
HOLDS = f"({TAKEN} OR {IS_LAST} AND e.status = 'open')"
# Of an episode `e`.
IS_TAKEN = f"""(e.is_taken_over AND EXISTS (
    SELECT FROM trajectories_takeover t WHERE t.episode_id = e.id AND {HOLDS}))"""


def is_below(address: str) -> bool:
    """Return whether a relative address, resolved from an episode's first page, stays below it."""
    return (
        not address.startswith(("/", "\\")) and ".." not in address and ":" not in address.partition("?")[0]
    )
