"""Stays: a booking site whose tasks ask to read, compare and act, made for this gym."""

from __future__ import annotations

from tasks_app.registry import benchmark_register
from tasks_app.sites import benchmark

SITE = "stays"
# Only families that are answered in words, because their golds can be proved without an episode.
STARTERS = ("cheapest_with_without", "first_free_stretch", "missing_amenities", "total_price")

benchmark_register(benchmark.plugin(SITE, title="Stays", starters=STARTERS))
