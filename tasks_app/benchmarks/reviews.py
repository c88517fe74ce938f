"""Reviews: a shop whose tasks ask to count and find things in hundreds of reviews, made for this gym."""

from __future__ import annotations

from tasks_app.registry import benchmark_register
from tasks_app.sites import benchmark

SITE = "reviews"
STARTERS = ("count_conditions", "count_mentions", "mean_rating", "mention_when")

benchmark_register(benchmark.plugin(SITE, title="Reviews", starters=STARTERS))
