"""`python -m tests.bench.rewards_fill URL RUN EPISODES`: fill a run with ended episodes that have components.

``URL`` is the owner's. Components are stored as the current rules would store them. Prints their number.
"""

from __future__ import annotations

import os
import sys

import django
import psycopg

from tests.bench import long_run

STEPS = 6


def main(url: str, run: int, episodes: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gymsite.settings")
    django.setup()
    from trajectories.rewards.registry import revision

    version = revision()
    with psycopg.connect(url) as owner:
        long_run.episodes_fill(owner, run, episodes=episodes)
        long_run.facts_fill(owner, [run])
    # Components must be newer than the facts from which they are computed; otherwise they would be due again.
    with psycopg.connect(url) as owner:
        owner.execute(_SOURCE, {"version": version})
        stored = owner.execute(_COMPONENTS, {"run": run, "version": version, "steps": STEPS}).rowcount
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("VACUUM ANALYZE")
    print(stored)


_SOURCE = """
INSERT INTO trajectories_rewardsource (kind, name, version, detail)
VALUES ('rule', 'rules', %(version)s, '{}')
ON CONFLICT DO NOTHING"""

_COMPONENTS = """
INSERT INTO trajectories_rewardcomponents (episode_id, source_id, computed_at, values, steps)
SELECT e.id, r.id, clock_timestamp(),
    jsonb_build_object('syntax', 1 - (e.id %% 4) * 0.25, 'executed', (e.id %% 6) / 6.0, 'repeated', 0,
        'navigation', 1, 'length', 100 + e.id %% 900),
    jsonb_build_object('syntax', s.ones, 'executed', s.shares, 'repeated', s.zeros)
FROM trajectories_episode e
    JOIN trajectories_rewardsource r ON r.kind = 'rule' AND r.version = %(version)s
    CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(n, 1) AS ones, jsonb_object_agg(n, ((e.id + n) %% 2)) AS shares,
            jsonb_object_agg(n, 0) AS zeros
        FROM generate_series(1, %(steps)s) n
    ) s
WHERE e.run_id = %(run)s"""


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
