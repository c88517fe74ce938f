"""Stays: a booking site with tasks of reading, comparing and doing, made for this gym."""

from __future__ import annotations

from tasks_app.benchmarks import _sites
from tasks_app.registry import benchmarks

SITE = "stays"
# Of those that are told rather than done: their golds prove themselves without an episode.
SAMPLED = ("cheapest_with_without", "first_free_stretch", "missing_amenities", "total_price")

benchmarks.register(SITE, _sites.plugin(SITE, title="Stays", sampled=SAMPLED))
