"""Reviews: a shop with tasks of counting and finding among hundreds of reviews, made for this gym."""

from __future__ import annotations

from tasks_app.registry import benchmarks
from tasks_app.sites import benchmark

SITE = "reviews"
SAMPLED = ("count_conditions", "count_mentions", "mean_rating", "mention_when")

benchmarks.register(SITE, benchmark.plugin(SITE, title="Reviews", sampled=SAMPLED))
